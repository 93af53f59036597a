create or replace function braid_store.slow_index_seconds(shard braid_store.vector_shards)
returns float8
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- A server takes 0.2 to 0.8 ms of CPU for a vector of 384 dimensions. If the graph does not fit into memory, it takes
  -- up to four times as long. Duplicates are not in the graph, but are compared with the queries that measure the
  -- index.
  select 0.0001 * shard.duplicate_count
         + 0.002 * (shard.vector_count - shard.duplicate_count)
           * (s.dimensions + 200) / 584 * (shard.hnsw_ef_construction + 36) / 100
           * case when braid_store.graph_bytes(shard) > pg_size_bytes(current_setting('maintenance_work_mem'))
                  then 4 else 1 end
  from braid_store.vector_spaces s
  where s.id = shard.vector_space_id;
$$;

comment on function braid_store.slow_index_seconds(braid_store.vector_shards) is
  'Return how many seconds building a shard''s index takes on a slow server. Nothing is measured for a call that has '
  'this time.';
