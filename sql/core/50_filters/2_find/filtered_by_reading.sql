create or replace function braid_store.filtered_by_reading(
  filter braid_store.filter,
  tenant_id int,
  collection_id int,
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- The function changes these settings; named here, they are restored when it ends.
set cpu_operator_cost = 0.0025
set parallel_setup_cost = 1000
set parallel_tuple_cost = 0.1
set min_parallel_table_scan_size = '8MB'
set min_parallel_index_scan_size = '512kB'
as $$
declare
  c_many_chunks constant int := 50000;
  v_chunk_ids bigint[];
begin
  -- The planner has no statistics of what tenants store, so it expects few rows of a tenant and finds parallel workers
  -- too expensive. EXECUTE without INTO STRICT is one of the few statements in a function that may use workers.
  if (select sum(s.chunk_count) from braid_store.segments s
      where s.tenant_id = filtered_by_reading.tenant_id
        and s.collection_id = filtered_by_reading.collection_id) >= c_many_chunks then
    perform set_config('cpu_operator_cost', '1000', true), set_config('parallel_setup_cost', '0', true),
            set_config('parallel_tuple_cost', '0', true), set_config('min_parallel_table_scan_size', '0', true),
            set_config('min_parallel_index_scan_size', '0', true);
  end if;
  execute format($query$
    select coalesce(array_agg(c.id order by c.id), '{}')
    from (
      select c.id from braid_store.chunks c where c.tenant_id = $1 and c.collection_id = $2 and (%s) limit $3
    ) c
    $query$, filtered_by_reading.filter.predicate)
  into v_chunk_ids
  using filtered_by_reading.tenant_id, filtered_by_reading.collection_id, filtered_by_reading.max_count + 1::bigint;
  return v_chunk_ids;
end
$$;

comment on function braid_store.filtered_by_reading(braid_store.filter, int, int, int) is
  'Return the ids of the chunks that pass a filter, in ascending order, by reading every chunk. Stop at max_count + '
  '1 ids; this number means that there are more than max_count. With many chunks, parallel workers share the reading.';
