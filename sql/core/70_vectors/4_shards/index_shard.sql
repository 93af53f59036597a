create or replace function braid_store.index_shard(shard braid_store.vector_shards)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_space braid_store.vector_spaces;
  v_order record;
  v_bytes float8 := braid_store.graph_bytes(shard);
  v_memory float8 := pg_size_bytes(current_setting('maintenance_work_mem'));
  v_warning text;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = shard.vector_space_id;
  v_order := braid_store.shard_order(shard.storage, shard.index_type, v_space.dimensions, v_space.distance);
  if v_bytes > v_memory then
    v_warning := format('maintenance_work_mem is %s, and the graph of %s vectors takes about %s: building the index '
                        'takes longer than with that much memory.',
                        current_setting('maintenance_work_mem'), shard.vector_count, pg_size_pretty(v_bytes::bigint));
    raise warning '%', v_warning
      using hint = format('Set maintenance_work_mem to %s MB for the session that runs maintain().',
                          ceil(v_bytes / 1048576 * 1.1));
  end if;

  execute format('alter table braid_store.vectors_%s set (parallel_workers = %s)', shard.id,
                 current_setting('max_parallel_maintenance_workers'));
  execute format('create index if not exists vectors_%1$s_hnsw on braid_store.vectors_%1$s using hnsw (%2$s %3$s) '
                 'with (m = %4$s, ef_construction = %5$s) where not is_duplicate',
                 shard.id, v_order.indexed, v_order.operator_class, shard.hnsw_m, shard.hnsw_ef_construction);
  -- Without this, ANALYZE would collect statistics for the index expression.
  if v_order.indexed <> 'embedding' then
    execute format('alter index braid_store.vectors_%s_hnsw alter column 1 set statistics 0', shard.id);
  end if;
  return v_warning;
end
$$;

comment on function braid_store.index_shard(braid_store.vector_shards) is
  'Build the HNSW index of a shard whose vectors are all copied, in one step and with parallel workers. Return a '
  'warning if maintenance_work_mem is too small for the graph, which slows the build; else null.';
