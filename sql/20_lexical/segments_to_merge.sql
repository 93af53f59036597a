create or replace function braid_store.segments_to_merge(
  tenant_id int,
  collection_id int,
  max_posting_count bigint,
  with_dead boolean
)
returns bigint[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Tiers by powers of eight, as in a log-structured merge tree (O'Neil et al. 1996): each posting is rewritten once per
  -- tier. A segment that is a fifth dead is rewritten alone, but finding it reads every tombstone: not after each write.
  with segments as (
    select s.id, s.chunk_count, s.posting_count,
           floor(ln(greatest(s.chunk_count, 1)) / ln(8) + 1e-9) as tier
    from braid_store.segments s
    where s.tenant_id = segments_to_merge.tenant_id and s.collection_id = segments_to_merge.collection_id
  ), dead as (
    select sc.segment_id, count(*) as chunk_count
    from braid_store.tombstones t,
         lateral (
           select sc.segment_id from braid_store.segment_chunks sc
           where sc.tenant_id = t.tenant_id and sc.chunk_id = t.chunk_id
           offset 0
         ) sc
    where segments_to_merge.with_dead and t.tenant_id = segments_to_merge.tenant_id
      and t.collection_id = segments_to_merge.collection_id
    group by sc.segment_id
  ), choices as (
    select array_agg(s.id order by s.id) as ids, sum(s.posting_count) as posting_count
    from segments s
    group by s.tier
    having count(*) >= 8
    union all
    select array[s.id], s.posting_count
    from segments s
    join dead d on d.segment_id = s.id
    where d.chunk_count * 5 >= s.chunk_count
  )
  select c.ids
  from choices c
  where c.posting_count <= segments_to_merge.max_posting_count
  order by c.posting_count
  limit 1;
$$;

comment on function braid_store.segments_to_merge(int, int, bigint, boolean) is
  'The cheapest merge that is due and reads at most so many postings; null if there is none.';
