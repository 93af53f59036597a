create or replace function braid_store.semantic_candidates(
  tenant_id int,
  collection braid_store.collections,
  query_embedding @vector@.vector,
  filter braid_store.filter,
  min_score float8,
  candidate_count int,
  is_exact boolean,
  ef_search int,
  out candidates braid_store.candidate[],
  out mode text
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
declare
  v_space braid_store.vector_spaces;
  v_shard record;
  v_has_index boolean;
  v_has_written boolean;
  v_is_filtered boolean := not filter.is_empty;
  v_share float8 := 1;
  v_is_rare boolean := false;
  v_most_ids int;
  v_near_count int;
  v_matching_ids bigint[];
  v_needed float8;
  v_written record;
  v_near record;
  v_found_count int;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = collection.vector_space_id;
  v_shard := braid_store.serving_shard(tenant_id, collection);
  v_has_index := v_shard.is_indexed and (v_shard.ef_search is not null or ef_search is not null) and not is_exact
                 and v_shard.vector_count > 2 * candidate_count;
  v_has_written := exists (
    select from braid_store.chunk_vectors v
    where v.tenant_id = semantic_candidates.tenant_id and v.collection_id = collection.id
      and v.vector_space_id = v_space.id);

  if v_is_filtered and not is_exact and ef_search is null then
    v_share := braid_store.filter_share(tenant_id, collection, v_shard.id, filter, 64);
    -- Among the 20,000 nearest, which is how far an index is followed, there would not be enough.
    v_is_rare := filter.source is null and v_share = 0
                 and 20000 * braid_store.filter_share(tenant_id, collection, v_shard.id, filter, 1000) < candidate_count;
    -- A filter that lets few pass, and whose matches an index finds, or so few that reading every chunk pays: these are
    -- measured. How many are few: where that takes as long as looking for enough of them among the nearest: one by HNSW
    -- costs as much as six by id.
    if v_share <= 1 / 32.0 and filter.source is not null or v_is_rare then
      v_most_ids := greatest(2000, sqrt(6.0 * candidate_count * coalesce(v_shard.vector_count, 0)));
      v_matching_ids := braid_store.matching_chunk_ids(tenant_id, collection.id, filter, v_most_ids);
      if cardinality(v_matching_ids) <= v_most_ids then
        mode := 'exact_filtered';
        v_near := braid_store.nearest_among(tenant_id, collection, v_space.distance, v_shard.id, query_embedding,
                                            v_matching_ids);
        candidates := (braid_store.rank_nearest(tenant_id, v_space.distance, v_near.chunk_ids, v_near.distances,
                                                braid_store.no_filter(), min_score, candidate_count, 0)).candidates;
        return;
      end if;
    end if;
  end if;

  if v_has_index then
    -- As many of the nearest as hold enough that pass, and as much wider as the shard's measurement asks for.
    v_needed := coalesce(ef_search, braid_store.needed_ef_search(
      v_shard.ef_search, v_shard.ef_search_100, candidate_count / greatest(v_share, 1 / 128.0)));
    if v_is_filtered or v_needed <= 1000 then
      mode := case when v_is_filtered then 'hnsw_filtered' else 'hnsw' end;
      v_near := braid_store.nearest_indexed(
        tenant_id, collection, v_space, v_shard.id, v_shard.storage, query_embedding, filter,
        -- More than asked for where some of them do not count, or come in another order.
        case when v_has_written or v_shard.storage = 'binary' then greatest(candidate_count, least(v_needed, 1000)::int)
             else candidate_count end,
        least(v_needed, 1000)::int, v_is_filtered, v_has_written);
    end if;
    if mode is not null then
      v_near_count := cardinality(v_near.chunk_ids);
      if v_has_written then
        v_written := braid_store.nearest_exact(tenant_id, collection, v_space.distance, null, true, query_embedding,
                                               filter, candidate_count);
        v_near.chunk_ids := v_near.chunk_ids || v_written.chunk_ids;
        v_near.distances := v_near.distances || v_written.distances;
      end if;
      select r.candidates, r.found_count into candidates, v_found_count
      from braid_store.rank_nearest(tenant_id, v_space.distance, v_near.chunk_ids, v_near.distances, filter, min_score,
                                    candidate_count, v_near_count) r;
      -- What was written since does not count: many of the shard's nearest may have been written anew, and lie elsewhere.
      if v_found_count >= candidate_count then
        return;
      end if;
      -- The filter's matches are far from the query, or the index holds vectors of deleted chunks.
    end if;
  end if;

  mode := coalesce('exact_after_' || mode, 'exact');
  v_near := braid_store.nearest_exact(tenant_id, collection, v_space.distance, v_shard.id, v_has_written,
                                      query_embedding, filter, candidate_count);
  select r.candidates, r.found_count into candidates, v_found_count
  from braid_store.rank_nearest(tenant_id, v_space.distance, v_near.chunk_ids, v_near.distances, braid_store.no_filter(),
                                min_score, candidate_count, cardinality(v_near.chunk_ids)) r;
  if v_found_count < least(candidate_count, cardinality(v_near.chunk_ids)) then
    -- Some are of chunks that were deleted while the shard was made. Any filter that is not empty passes them over.
    v_near := braid_store.nearest_exact(tenant_id, collection, v_space.distance, v_shard.id, v_has_written,
                                        query_embedding, row('true', null, false), candidate_count);
    candidates := (braid_store.rank_nearest(tenant_id, v_space.distance, v_near.chunk_ids, v_near.distances,
                                            braid_store.no_filter(), min_score, candidate_count, 0)).candidates;
  end if;
end
$$;

comment on function braid_store.semantic_candidates(int, braid_store.collections, @vector@.vector, braid_store.filter,
                                                    float8, int, boolean, int) is
  'The chunks nearest to a vector under a filter, and how they were found: exact over all, exact over the filter''s matches, '
  'by HNSW (as wide as measure_recall asked for when the index was made), or exact after HNSW found too few. '
  'is_exact and ef_search, if given, overrule the choice.';
