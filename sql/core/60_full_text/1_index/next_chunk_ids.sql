create or replace function braid_store.next_chunk_ids(tenant_id int, collection_id int, last_id bigint, max_count int)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- These settings make the planner read the key's index in order. The planner has no statistics, and would otherwise
-- read and sort all remaining chunks for each batch.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  return array(
    select c.id
    from (
      select c.id, c.collection_id from braid_store.chunks c
      where c.tenant_id = next_chunk_ids.tenant_id and c.id > next_chunk_ids.last_id
      order by c.id
      offset 0
    ) c
    -- The collection is tested outside the subquery. Next to the key's condition, it would make an index that begins
    -- with the collection look as good as the key's index.
    where c.collection_id = next_chunk_ids.collection_id
    limit next_chunk_ids.max_count);
end
$$;

comment on function braid_store.next_chunk_ids(int, int, bigint, int) is
  'Return the next chunks of a tenant in a collection, to read them in batches: at most max_count ids above last_id, '
  'in ascending order. The array is empty when no chunks are left.';
