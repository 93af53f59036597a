create or replace function braid_store.filtered_by_index(
  tenant_id int,
  collection_id int,
  filter braid_store.filter,
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner read the one index that the source was written for: see condition_source.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_chunk_ids bigint[];
begin
  execute format($query$
    select array(
      select c.id
      from (%s) s (chunk_id),
           lateral (
             select c.id, c.collection_id from braid_store.chunks c
             where c.tenant_id = $1 and c.id between s.chunk_id and s.chunk_id and (%s)
             order by c.id
             offset 0
           ) c
      -- This condition stands outside the inner query: there, an index that begins with the collection would seem as
      -- cheap as the primary key.
      where c.collection_id = $2
      limit $3)
    $query$, filtered_by_index.filter.source, filtered_by_index.filter.predicate)
  into v_chunk_ids
  using filtered_by_index.tenant_id, filtered_by_index.collection_id, filtered_by_index.max_count + 1::bigint;
  return v_chunk_ids;
end
$$;

comment on function braid_store.filtered_by_index(int, int, braid_store.filter, int) is
  'Do the work of braid_store.filtered_chunk_ids for a filter with a source: an index gives the candidates.';
