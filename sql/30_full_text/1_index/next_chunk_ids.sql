create or replace function braid_store.next_chunk_ids(tenant_id int, collection_id int, last_id bigint, max_count int)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- By the key, in its order: the planner, which has no statistics, would read and sort all that is left for each batch.
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
    -- Not with the key: an index that begins with the collection would look as good.
    where c.collection_id = next_chunk_ids.collection_id
    limit next_chunk_ids.max_count);
end
$$;

comment on function braid_store.next_chunk_ids(int, int, bigint, int) is
  'The next chunks of a tenant''s part of a collection behind last_id, in the order of ids.';
