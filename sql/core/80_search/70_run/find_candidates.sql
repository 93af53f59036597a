create or replace function braid_store.find_candidates(request braid_store.search_request)
returns braid_store.found_candidates
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_collection braid_store.collections := request.collection;
  v_legs text := request.legs;
  v_query braid_store.text_query := request.query;
  v_filter braid_store.filter := request.filter;
  v_options braid_store.search_options := request.options;
  -- A leg of weight 0 does not change the result, so it is not searched.
  v_asks_text boolean := v_legs in ('full_text', 'prefilter') or v_legs = 'hybrid'
    and v_collection.full_text_weight > 0;
  v_asks_semantic boolean := v_legs = 'semantic' or v_legs = 'hybrid' and v_collection.semantic_weight > 0;
  v_asks_sparse boolean := (request.sparse).terms is not null;
  v_full_text_min_score float8 := greatest(case when v_legs = 'full_text' then request.min_score end,
                                           v_options.full_text_min_score);
  v_semantic_min_score float8 := greatest(case when v_legs in ('semantic', 'prefilter') then request.min_score end,
                                          v_options.semantic_min_score);
  v_is_fused boolean;
  v_is_all_found boolean; -- True if full text has found all chunks that meet the demands.
  v_demands braid_store.text_query;
  v_demanded_ids bigint[];
  v_started timestamptz;
  v_found braid_store.found_candidates;
begin
  v_found.full_text := '{}';
  v_found.semantic := '{}';
  if cardinality(v_query.conditions) > 0 then
    v_demands := braid_store.demands_of(request.tenant_id, v_collection.id, v_query);
    if coalesce(v_demands.posting_count > 10000, true) then
      -- If the demanded words are common but rarely occur together, a leg would test nearly all chunks to find enough.
      -- In that case, look up the chunks that meet the demands first.
      v_demanded_ids := braid_store.demanded_if_few(request.tenant_id, v_collection, v_demands, 10000);
      if v_demanded_ids is not null then
        v_query.conditions := '{}';
        v_filter := braid_store.narrow_to_chunks(v_filter, v_demanded_ids);
      end if;
    end if;
  end if;

  v_found.filter := request.filter;
  if not v_filter.is_empty then
    v_started := clock_timestamp();
    -- If few chunks meet the demands, semantic search gets these chunks and does not need the filter. With the options
    -- exact and ef_search, semantic search tests the filter on the chunks it finds.
    v_filter := braid_store.find_filtered(
      v_filter, request.tenant_id, v_collection.id, request.candidate_count,
      least(v_query.posting_count, v_demands.posting_count), v_asks_text,
      (v_asks_semantic or v_asks_sparse) and coalesce(v_demands.posting_count > 10000, true) and not v_options.exact
      and v_options.ef_search is null, request.filters);
    if v_demanded_ids is null then
      v_found.filter := v_filter;
    end if;
    v_found.filter_ms := braid_store.milliseconds(clock_timestamp() - v_started);
  end if;
  if v_asks_text then
    select f.candidates, f.is_cut, f.postings_read, f.chunks_scored
    into v_found.full_text, v_found.is_cut, v_found.postings_read, v_found.chunks_scored
    from braid_store.full_text_candidates(request.tenant_id, v_collection, v_query, v_filter, v_full_text_min_score,
                                          request.candidate_count) f;
  end if;
  if v_legs = 'prefilter' then
    v_found.semantic := braid_store.nearest_of(request.tenant_id, v_collection, request.query_embedding,
      v_found.full_text,
                                               v_semantic_min_score);
    v_found.semantic_mode := 'prefiltered';
    return v_found;
  elsif not v_asks_semantic and not v_asks_sparse then
    return v_found;
  end if;

  v_is_all_found := v_asks_text and cardinality(v_found.full_text) < request.candidate_count
                    and v_full_text_min_score is null and braid_store.finds_all_demanded(v_collection, request.query);
  if v_is_all_found and v_asks_semantic then
    v_found.semantic := braid_store.nearest_of(request.tenant_id, v_collection, request.query_embedding,
      v_found.full_text,
                                               v_semantic_min_score);
    v_found.semantic_mode := 'exact_filtered';
  end if;
  if v_is_all_found and v_asks_sparse then
    v_filter := braid_store.narrow_to_chunks(v_filter, array(select f.chunk_id from unnest(v_found.full_text) f));
  elsif not v_is_all_found and v_demands.posting_count <= 10000 then
    v_filter := braid_store.narrow_to_chunks(v_filter, braid_store.demanded_by_index(request.tenant_id, v_collection,
      v_demands));
  elsif not v_is_all_found and cardinality(v_query.conditions) > 0 then
    v_filter := braid_store.narrow_filter(v_filter, braid_store.demand_condition(request.tenant_id, v_query));
  end if;
  if v_asks_semantic and not v_is_all_found then
    -- If full text alone can fill the page, and weighs enough, few rows of the page depend on their similarity alone.
    -- With other weights and fusions, more rows may depend on it. Under a filter, a fused search stops at fewer
    -- vectors, so full text must have found all candidates.
    v_is_fused := v_asks_text and not v_options.is_rearranged
                  and cardinality(v_found.full_text) >= case when v_filter.is_empty then request.match_count
                                                             else request.candidate_count end
                  and v_collection.fusion = 'convex' and v_options.semantic_normalisation = 'centroid'
                  and 3 * v_collection.semantic_weight <= 2 * v_collection.full_text_weight + 1e-9;
    select n.candidates, n.mode, n.shard into v_found.semantic, v_found.semantic_mode, v_found.shard
    from braid_store.semantic_candidates(request.tenant_id, v_collection, request.query_embedding, v_filter,
      v_semantic_min_score,
                                         request.candidate_count,
                                         case when v_legs = 'hybrid' and not v_options.is_rearranged
                                              then request.match_count else request.candidate_count end,
                                         v_is_fused,
                                         v_options.exact, v_options.ef_search) n;
  end if;
  if v_asks_sparse then
    v_found.sparse := braid_store.sparse_candidates(
      request.tenant_id, v_collection, request.sparse, v_query, v_filter,
      greatest(case when v_legs = 'sparse' then request.min_score end, v_options.sparse_min_score),
        request.candidate_count);
  end if;
  return v_found;
end
$$;

comment on function braid_store.find_candidates(braid_store.search_request) is
  'Search the legs that a request asks for, and return what they find. request.legs: full_text, semantic or sparse '
  'for a single leg; hybrid for two or three; prefilter if semantic search orders all chunks that full text found. '
  'Except in hybrid, request.min_score applies to the leg that gives the score.';
