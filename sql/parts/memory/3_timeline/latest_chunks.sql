create or replace function braid_store.latest_chunks(tenant_id int, collection_id int, predicate text, max_count int)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Make the planner read the index on occurred_at in its order. Without statistics it would read and sort all chunks.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_chunk_ids bigint[];
begin
  execute format($query$
    select array(
      select c.id from braid_store.chunks c
      where c.tenant_id = $1 and c.collection_id = $2 and c.occurred_at is not null and (%s)
      order by c.occurred_at desc, c.document_id desc, c.chunk_index desc
      limit $3)
    $query$, latest_chunks.predicate)
  into v_chunk_ids
  using latest_chunks.tenant_id, latest_chunks.collection_id, latest_chunks.max_count;
  return v_chunk_ids;
end
$$;

comment on function braid_store.latest_chunks(int, int, text, int) is
  'Return the last max_count chunks in time that pass a filter, latest first. predicate: the filter as SQL. Chunks '
  'without occurred_at are left out.';
