create or replace function braid_store.index_work(shard braid_store.vector_shards)
returns float8
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Each vector is compared with a multiple of ef_construction others, in a graph whose depth grows with the logarithm
  -- of its size. The build takes four times as long if the graph does not fit into memory. Duplicates are not in the
  -- graph, but are compared with the queries that measure the index. The constant 8000 is the cost of measuring with
  -- few vectors.
  select 8000 + 0.6 * shard.vector_count * (s.dimensions + 200) / 584
         + (shard.vector_count - shard.duplicate_count) * ln(shard.vector_count + 2::float8)
           * (shard.hnsw_ef_construction + 36) / 100
                * (s.dimensions + 200) / 584
                * case when braid_store.graph_bytes(shard) > pg_size_bytes(current_setting('maintenance_work_mem'))
                       then 4 else 1 end
  from braid_store.vector_spaces s
  where s.id = shard.vector_space_id;
$$;

comment on function braid_store.index_work(braid_store.vector_shards) is
  'Estimate the work of building a shard''s index, in an arbitrary unit. upkeep_rates tells how many units are done '
  'in a second.';
