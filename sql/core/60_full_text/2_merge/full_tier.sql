create or replace function braid_store.full_tier(tenant_id int, collection_id int, max_posting_count bigint)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c_max_bytes constant int := 268435456; -- a quarter of what PostgreSQL can store in a column
begin
  -- Tiers are powers of eight, as in a log-structured merge tree (O'Neil et al. 1996): each posting is rewritten once
  -- per tier. The first tier goes up to 64 chunks instead of 8, because many writes consist of one chunk, and the
  -- additional segments do not slow searches down.
  return (
    select array_agg(s.id order by s.id)
    from (
      select s.id, s.is_deletion, s.chunk_count, s.posting_count, s.tier,
             sum(s.chunk_count) over smallest_first as chunk_counts,
             sum(s.posting_count) over smallest_first as posting_counts, sum(s.bytes) over smallest_first as bytes
      from (
        select s.id, s.is_deletion, abs(s.chunk_count) as chunk_count, s.posting_count,
               coalesce(octet_length(s.terms), 0) as bytes,
               floor(ln(greatest(abs(s.chunk_count), 8)) / ln(8) + 1e-9) as tier
        from braid_store.segments s
        where s.tenant_id = full_tier.tenant_id and s.collection_id = full_tier.collection_id
      ) s
      window smallest_first as (partition by s.is_deletion, s.tier order by s.chunk_count, s.id)
    ) s
    where s.chunk_counts <= braid_store.max_chunk_number() and s.posting_counts <= full_tier.max_posting_count
      and s.bytes <= c_max_bytes
    group by s.is_deletion, s.tier
    having count(*) >= 8 and sum(s.chunk_count) >= 64
    order by sum(s.posting_count)
    limit 1);
end
$$;

comment on function braid_store.full_tier(int, int, bigint) is
  'Return the segments of the cheapest merge that is due: eight or more segments (or deletions) of similar size, '
  'with at most max_posting_count postings together. If the whole tier has more postings, take its smallest '
  'segments. Return null if no merge is due.';
