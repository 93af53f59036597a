create or replace function braid_store.index_shard(shard braid_store.vector_shards)
returns text
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_bytes float8 := braid_store.graph_bytes(shard);
  v_warning text;
begin
  if v_bytes > pg_size_bytes(current_setting('maintenance_work_mem')) then
    v_warning := format('maintenance_work_mem is %s, and the graph of %s vectors takes about %s: building the index '
                        'takes longer than with that much memory.',
                        current_setting('maintenance_work_mem'), shard.vector_count, pg_size_pretty(v_bytes::bigint));
    raise warning '%', v_warning
      using hint = format('Set maintenance_work_mem to %s MB for the session that runs maintain().',
                          ceil(v_bytes / 1048576 * 1.1));
  end if;
  perform braid_store.build_hnsw(shard, format('vectors_%s', shard.id), 'not is_duplicate', 1.1 * v_bytes);
  return v_warning;
end
$$;

comment on function braid_store.index_shard(braid_store.vector_shards) is
  'Build the HNSW index of a shard whose vectors are all copied, in one step and with parallel workers. Return a '
  'warning if maintenance_work_mem is too small for the graph, which slows the build; else null.';
