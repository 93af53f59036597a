create or replace function braid_store.sparse_segments_to_merge(
  tenant_id int,
  collection_id int,
  max_posting_count bigint default 9223372036854775807
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  -- A merge makes a segment with eight times the chunks of its sources. The limit keeps a merge within seconds: reading
  -- lists from ten segments of this size is as fast as reading them from one.
  c_factor constant int := 8;
  c_most_chunks constant int := 16384;
  c_sample constant int := 64;
begin
  return (
  with segments as materialized (
    select s.id, s.chunk_count, s.posting_count, octet_length(s.terms) as bytes, l.live_count,
           floor(ln(s.chunk_count) / ln(c_factor)) as tier
    from braid_store.sparse_segments s,
         lateral (
           -- Chunks are counted only in small segments, and where a sample of numbers shows that many chunks are gone.
           select case when s.chunk_count > c_sample * 4 and c_sample * 5 / 8 < (
                         select count(*)
                         from generate_series(1, c_sample) g (number),
                              lateral (
                                select from braid_store.sparse_segment_chunks sc
                                where sc.tenant_id = sparse_segments_to_merge.tenant_id
                                  and sc.collection_id = sparse_segments_to_merge.collection_id and sc.segment_id = s.id
                                  and sc.chunk_number = 1
                                    + (hashint8extended(g.number, s.id) & 2147483647) % s.chunk_count
                                offset 0
                              ) sc)
                       then s.chunk_count
                       else (
                         select count(*) from braid_store.sparse_segment_chunks sc
                         where sc.tenant_id = sparse_segments_to_merge.tenant_id
                           and sc.collection_id = sparse_segments_to_merge.collection_id and sc.segment_id = s.id)
                  end as live_count
           offset 0
         ) l
    where s.tenant_id = sparse_segments_to_merge.tenant_id and s.collection_id = sparse_segments_to_merge.collection_id
  ), groups as (
    -- Segments that are more than half deleted come first.
    select s.id, s.live_count, s.posting_count, s.bytes, -1 as tier, 1 as least_count
    from segments s
    where s.live_count * 2 < s.chunk_count
    union all
    select s.id, s.live_count, s.posting_count, s.bytes, s.tier, c_factor from segments s
  ), counted as (
    select g.*, count(*) over same_tier as tier_count,
           sum(g.live_count) over smallest_first <= c_most_chunks
             and sum(g.posting_count) over smallest_first <= sparse_segments_to_merge.max_posting_count
             -- A write may make a segment slightly larger than the limit, which must not prevent its merge.
             and sum(g.bytes) over smallest_first <= 2 * braid_store.max_sparse_segment_bytes() as fits,
           row_number() over smallest_first as number
    from groups g
    window same_tier as (partition by g.tier), smallest_first as (partition by g.tier order by g.live_count, g.id)
  ), due as (
    select c.*, max(c.number) filter (where c.fits) over (partition by c.tier) as fitting_count
    from counted c
    where c.tier_count >= c.least_count
  )
  select array_agg(d.id order by d.id)
  from due d
  where d.fits
    and d.tier = (select min(t.tier) from due t where t.fitting_count >= least(t.least_count, 2)));
end
$$;

comment on function braid_store.sparse_segments_to_merge(int, int, bigint) is
  'Return the sparse segments of a tenant in a collection that are due for a merge: eight or more of similar size, '
  'or segments that are more than half deleted. max_posting_count: the maximum number of postings that the merge may '
  'read. Return null if no merge is due.';
