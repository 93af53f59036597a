create or replace function braid_store.build_hnsw(
  shard braid_store.vector_shards,
  table_name text,
  condition text,
  memory_bytes float8
)
returns float8
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_space braid_store.vector_spaces;
  v_order record;
  v_memory text := current_setting('maintenance_work_mem');
  v_begun timestamptz;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = shard.vector_space_id;
  v_order := braid_store.shard_order(shard.storage, shard.index_type, v_space.dimensions, v_space.distance);
  execute format('alter table braid_store.%I set (parallel_workers = %s)', table_name,
                 current_setting('max_parallel_maintenance_workers'));
  -- Parallel workers allocate all of maintenance_work_mem before they begin, which takes a second for 2 GB.
  perform set_config('maintenance_work_mem',
                     format('%skB', ceil(least(memory_bytes, pg_size_bytes(v_memory)::float8) / 1024)), true);
  v_begun := clock_timestamp();
  execute format('create index if not exists %1$I on braid_store.%2$I using hnsw (%3$s %4$s) '
                 'with (m = %5$s, ef_construction = %6$s) where %7$s',
                 table_name || '_hnsw', table_name, v_order.indexed, v_order.operator_class, shard.hnsw_m,
                 shard.hnsw_ef_construction, condition);
  perform set_config('maintenance_work_mem', v_memory, true);
  -- Without this, ANALYZE would collect statistics for the index expression.
  if v_order.indexed <> 'embedding' then
    execute format('alter index braid_store.%I alter column 1 set statistics 0', table_name || '_hnsw');
  end if;
  return extract(epoch from clock_timestamp() - v_begun);
end
$$;

comment on function braid_store.build_hnsw(braid_store.vector_shards, text, text, float8) is
  'Build the HNSW index of a table with a shard''s settings, over the rows that a condition chooses, by parallel '
  'workers, and return the seconds that it took. memory_bytes: how much memory the graph may use, up to '
  'maintenance_work_mem.';
