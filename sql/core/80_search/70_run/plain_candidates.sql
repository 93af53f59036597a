create or replace function braid_store.plain_candidates(
  request braid_store.search_request,
  out is_found boolean,
  out leg_candidates braid_store.found_candidates,
  out candidates braid_store.ranked_candidates
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_count int := request.candidate_count;
  v_distance text := case when request.legs <> 'full_text' then (
    select s.distance from braid_store.vector_spaces s where s.id = (request.collection).vector_space_id) end;
  v_shard braid_store.serving_shard := case when request.legs <> 'full_text' then
    braid_store.serving_shard(request.tenant_id, request.collection) end;
  v_keys bigint[] := case when request.legs = 'hybrid' then braid_store.query_keys(request.query) end;
  v_near record;
  v_fused record;
begin
  -- nearest_plain and fuse_plain would refuse these searches only after full text was searched.
  if v_shard.id is not null
       and (v_shard.is_indexed and v_shard.ef_search is not null and v_shard.duplicate_count = 0
            and v_shard.storage <> 'binary' and v_shard.vector_count > 2 * v_count) is not true then
    return;
  end if;
  if request.legs = 'semantic' then
    leg_candidates.full_text := '{}';
    leg_candidates.filter := request.filter;
    leg_candidates.shard := v_shard;
  else
    select f.candidates, '{}'::braid_store.candidate[], null, f.is_cut, f.postings_read, f.chunks_scored,
           request.filter, null, null, v_shard
    into leg_candidates
    from braid_store.full_text_candidates(request.tenant_id, request.collection, request.query, request.filter, null,
                                          v_count, keys => v_keys) f;
  end if;
  if request.legs <> 'full_text' then
    v_near := braid_store.nearest_plain(
      request.tenant_id, request.collection, v_distance, v_shard, request.query_embedding,
      array(select f.chunk_id from unnest(leg_candidates.full_text) f), v_count, request.match_count,
      -- As in find_candidates, few rows of the page depend on their similarity alone.
      request.legs = 'hybrid' and cardinality(leg_candidates.full_text) >= request.match_count
        and 3 * (request.collection).semantic_weight <= 2 * (request.collection).full_text_weight + 1e-9);
    if v_near.mode is null then
      return;
    end if;
    leg_candidates.semantic_mode := v_near.mode;
  end if;
  if request.legs = 'hybrid' then
    v_fused := braid_store.fuse_plain(request, v_keys, leg_candidates.full_text, v_distance, v_near.chunk_ids,
                                      v_near.distances, v_near.vectors, v_near.near_count, v_near.counted);
    if v_fused.fused is null or v_fused.live_count < least(v_near.counted, v_count)
       or v_fused.live_count < v_near.enough_count then
      return;
    end if;
    leg_candidates.semantic := v_fused.semantic;
    if v_fused.is_tied then
      v_fused.fused := braid_store.order_candidates(request.tenant_id, v_fused.fused);
      v_fused.fused_vectors := null;
    end if;
    candidates := row(
      v_fused.fused,
      case when (request.options).smoothing > 0
           then (braid_store.spread_candidates(request, v_fused.fused, v_shard, false, v_fused.fused_vectors)).spread
           else v_fused.fused end,
      jsonb_build_object('semantic', jsonb_build_object('without_embedding', v_fused.missing_count)), -- report
      null, null, null); -- sets unseen, has_more, spread
  else
    if request.legs = 'semantic' then
      v_fused := braid_store.rank_nearest(request.tenant_id, v_distance, v_near.chunk_ids[:v_near.near_count],
                                          v_near.distances[:v_near.near_count], null, v_count, v_near.counted, false);
      if v_fused.found_count < least(v_near.counted, v_count) or v_fused.found_count < v_near.enough_count then
        return;
      end if;
      leg_candidates.semantic := v_fused.candidates;
    end if;
    candidates.fused := braid_store.unfused_candidates(request.legs, leg_candidates);
    candidates.ranked := candidates.fused;
  end if;
  candidates.has_more := v_count in (cardinality(leg_candidates.full_text), cardinality(leg_candidates.semantic));
  is_found := true;
end
$$;

comment on function braid_store.plain_candidates(braid_store.search_request) is
  'Find and rank the candidates of a plain search in few statements, with the same result as find_candidates and '
  'rank_found. Each chunk is looked up once, and its vector is kept for the smoothing. is_found is null if the '
  'search needs those functions after all, for example because the vector index is missing or unsure.';
