create or replace function braid_store.exact_candidates(
  tenant_id int,
  collection braid_store.collections,
  space braid_store.vector_spaces,
  shard_id int,
  has_written boolean,
  query_embedding @vector@.vector,
  filter braid_store.filter,
  min_score float8,
  candidate_count int
)
returns braid_store.candidate[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  -- Every existing chunk matches this filter. It makes the scan look up each vector's chunk and skip deleted chunks.
  c_existing constant braid_store.filter := braid_store.narrow_filter(braid_store.no_filter(), 'true');
  v_measured braid_store.measured_chunks;
  v_found_count int;
  v_candidates braid_store.candidate[];
begin
  v_measured := braid_store.nearest_exact(tenant_id, collection, space.distance, shard_id, has_written, query_embedding,
                                          filter, candidate_count);
  select r.candidates, r.found_count into v_candidates, v_found_count
  from braid_store.rank_nearest(
         exact_candidates.tenant_id, exact_candidates.space.distance, v_measured.chunk_ids, v_measured.distances,
         exact_candidates.min_score, exact_candidates.candidate_count,
         cardinality(v_measured.chunk_ids), not (exact_candidates.filter).is_empty) r;
  if filter.is_empty and v_found_count < least(candidate_count, cardinality(v_measured.chunk_ids)) then
    -- Some vectors belong to chunks that were deleted while the shard was built, so search again without them.
    v_measured := braid_store.nearest_exact(tenant_id, collection, space.distance, shard_id, has_written,
                                            query_embedding, c_existing, candidate_count);
    v_candidates := (braid_store.rank_nearest(tenant_id, space.distance, v_measured.chunk_ids, v_measured.distances,
                                              min_score, candidate_count, 0, true)).candidates;
  end if;
  return v_candidates;
end
$$;

comment on function braid_store.exact_candidates(int, braid_store.collections, braid_store.vector_spaces, int, boolean,
                                                 @vector@.vector, braid_store.filter, float8, int) is
  'Find the chunks nearest to a vector among the chunks that pass a filter, by comparing it with every vector. '
  'shard_id: the shard to read; null if there is none. has_written: whether chunk_vectors has vectors as well.';
