create or replace function braid_store.filtered_chunk_ids(
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
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_chunk_ids bigint[];
begin
  if filtered_chunk_ids.filter.source is not null then
    return braid_store.filtered_by_index(filtered_chunk_ids.tenant_id, filtered_chunk_ids.collection_id,
                                         filtered_chunk_ids.filter, filtered_chunk_ids.max_count);
  end if;
  execute format($query$
    select array(
      select c.id from braid_store.chunks c where c.tenant_id = $1 and c.collection_id = $2 and (%s) limit $3)
    $query$, filtered_chunk_ids.filter.predicate)
  into v_chunk_ids
  using filtered_chunk_ids.tenant_id, filtered_chunk_ids.collection_id, filtered_chunk_ids.max_count + 1::bigint;
  return v_chunk_ids;
end
$$;

comment on function braid_store.filtered_chunk_ids(int, int, braid_store.filter, int) is
  'Returns the ids of the chunks that pass a filter, in no order. Stops at max_count + 1 of them: so many mean that '
  'there are more than max_count. Without a source in the filter, looks at every chunk.';
