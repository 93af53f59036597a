create or replace function braid_store.semantic_candidates(
  tenant_id int,
  collection braid_store.collections,
  query_embedding @vector@.vector,
  filter braid_store.filter,
  min_score float8,
  candidate_count int,
  page_count int,
  is_fused boolean,
  is_exact boolean,
  ef_search int,
  out candidates braid_store.candidate[],
  out mode text,
  out shard braid_store.serving_shard
)
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
  v_space braid_store.vector_spaces;
  v_measured braid_store.measured_chunks;
  v_share float8;
  v_ef_search float8;
  v_enough_count int := candidate_count;
begin
  select s.* into strict v_space
  from braid_store.vector_spaces s
  where s.id = semantic_candidates.collection.vector_space_id;
  shard := braid_store.serving_shard(tenant_id, collection);

  -- 1. If few chunks pass the filter, compare the query with all of them.
  if not filter.is_empty and filter.share is null and not is_exact and ef_search is null then
    filter := braid_store.find_filtered(filter, tenant_id, collection.id, candidate_count, 0, false, true, null);
  end if;
  if filter.among is not null and not is_exact and ef_search is null then
    mode := 'exact_filtered';
    v_measured := braid_store.nearest_filtered(tenant_id, collection, v_space.distance, shard.id, shard.has_written,
                                               query_embedding, filter, candidate_count);
    candidates := (braid_store.rank_nearest(tenant_id, v_space.distance, v_measured.chunk_ids, v_measured.distances,
                                            min_score, candidate_count, 0, true)).candidates;
    return;
  end if;

  -- 2. Use the index if its index recall has been measured and at most half of its vectors are requested.
  if shard.is_indexed and (shard.ef_search is not null or ef_search is not null) and not is_exact
     and shard.vector_count > 2 * candidate_count then
    -- Scan widely enough to find candidate_count chunks that pass the filter, with the measured index recall. For a
    -- share below 1/128, ef_search is not raised further: pgvector's iterative scan continues by itself if it has found
    -- too few. pgvector allows at most 1000. If full text fills the page, one scan that finds about candidate_count
    -- chunks is enough.
    v_share := greatest(coalesce(filter.share, 1), 1 / 128.0);
    if ef_search is not null then
      -- If the caller gives ef_search, it is used unchanged.
      shard.far_distance := null;
    end if;
    if is_fused and not filter.is_empty then
      v_enough_count := candidate_count * 3 / 4;
    end if;
    v_ef_search := coalesce(ef_search, braid_store.needed_ef_search(
      case when is_fused then shard.ef_search_fused else shard.ef_search end, shard.ef_search_100,
      case when v_enough_count < candidate_count then 0.8 else 1 end * candidate_count / v_share,
      least(page_count, candidate_count) / v_share));
    if not filter.is_empty or v_ef_search <= 1000 then
      mode := case when filter.is_empty then 'hnsw' else 'hnsw_filtered' end;
      candidates := braid_store.indexed_candidates(
        tenant_id, collection, v_space, shard, shard.has_written, query_embedding, filter, min_score, candidate_count,
        v_enough_count, least(v_ef_search, 1000)::int);
    end if;
  end if;

  -- 3. Compare the query with all vectors.
  if candidates is null then
    mode := coalesce('exact_after_' || mode, 'exact');
    candidates := braid_store.exact_candidates(tenant_id, collection, v_space, shard.id, shard.has_written,
                                               query_embedding, filter, min_score, candidate_count);
  end if;
end
$$;

comment on function braid_store.semantic_candidates(int, braid_store.collections, @vector@.vector, braid_store.filter,
                                                    float8, int, int, boolean, boolean, int) is
  'Find the candidate_count chunks nearest to a vector among the chunks that pass a filter. mode: how they were '
  'found. In mode exact, all vectors were compared; in mode exact_filtered, only vectors of chunks that pass the '
  'filter. In mode hnsw or hnsw_filtered, the index was searched as widely as calibrate_shard found necessary. In '
  'mode exact_after_hnsw or exact_after_hnsw_filtered, all vectors were compared because the index found too few, or '
  'hardly any near the query that pass the filter. page_count: how many of the nearest chunks must be found with the '
  'measured index recall; no recall is promised for the other candidates. is_fused: full text fills most of the '
  'page, so the search may miss more chunks; with a filter, three quarters of candidate_count are enough. If '
  'is_exact is true, compare all vectors. ef_search: how widely to search the index; null to choose. shard: the '
  'shard that was searched.';
