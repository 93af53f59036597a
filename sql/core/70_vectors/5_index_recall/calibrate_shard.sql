create or replace function braid_store.calibrate_shard(shard braid_store.vector_shards)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- With 100 queries, the result varies too much between samples for a large index. With few vectors, more queries
  -- would take a fifth of the time of building the index.
  v_query_count int := case when shard.vector_count < 50000 then 100 else 200 end;
  v_space braid_store.vector_spaces;
  v_curve braid_store.recall_curve;
  v_chosen record;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = shard.vector_space_id;
  v_curve := braid_store.index_recall_curve(
    shard, v_space, braid_store.sample_queries(shard, v_space, v_query_count), '{}', 100);
  v_chosen := braid_store.choose_widths(shard, v_space, v_curve, braid_store.sample_margin(), '{}');
  update braid_store.vector_shards s
  set ef_search = v_chosen.ef_search,
      ef_search_100 = v_chosen.ef_search_100,
      ef_search_fused = v_chosen.ef_search_fused,
      index_recall = v_chosen.index_recall,
      far_distance = v_chosen.far_distance,
      far_ef_search = v_chosen.far_ef_search,
      measurement = braid_store.describe_measurement(
        v_curve, v_chosen.ef_search, v_chosen.ef_search_100, v_chosen.far_distance, v_chosen.far_ef_search, '{}',
        v_query_count)
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
end
$$;

comment on function braid_store.calibrate_shard(braid_store.vector_shards) is
  'Measure how widely a shard''s HNSW index must be searched to find the results of an exact search, and store the '
  'result with the shard. Also measure the distance beyond which an answer is searched again. The sample has '
  '100 queries, or 200 from 50,000 vectors on. If the index is not good enough at any width, ef_search is null and '
  'searches stay exact.';
