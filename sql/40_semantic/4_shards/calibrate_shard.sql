create or replace function braid_store.calibrate_shard(
  shard braid_store.vector_shards,
  collection braid_store.collections
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_measured record := braid_store.measure_recall(shard, collection);
begin
  update braid_store.vector_shards s
  -- One and a half times what the sample needed: with 40,000 and 100,000 vectors, questions drawn like the documents
  -- needed that. At a recall below 0.97 the index is not good enough, and searches stay exact. This can happen with
  -- binary storage.
  set ef_search = case when v_measured.recall >= 0.97 then least(1000, v_measured.ef_search * 3 / 2) end,
      ef_search_100 = least(1000, greatest(v_measured.ef_search * 3 / 2, v_measured.ef_search_100 * 5 / 4)),
      recall = v_measured.recall
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
end
$$;

comment on function braid_store.calibrate_shard(braid_store.vector_shards, braid_store.collections) is
  'Measures how widely a shard''s HNSW index must be searched to find what an exact search finds, and stores that '
  'with the shard. If the index is not good enough at any width, ef_search is null and searches stay exact.';
