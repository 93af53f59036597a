create or replace function braid_store.run_search(
  query_text text,
  query_embedding @vector@.vector,
  match_count int,
  full_text_weight float8,
  semantic_weight float8,
  filters jsonb,
  collection text,
  fusion text,
  rrf_k float8,
  candidate_count int,
  min_score float8,
  match text,
  options jsonb,
  is_reported boolean,
  out results braid.search_result[],
  out stats jsonb
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_started timestamptz := clock_timestamp();
  v_collection braid_store.collections;
  v_filter text;
  v_source text;
  v_has_text boolean := coalesce(query_text, '') <> '';
  v_has_embedding boolean := query_embedding is not null;
  v_is_hybrid boolean := v_has_text and v_has_embedding;
  v_full_text_weight float8;
  v_semantic_weight float8;
  v_candidate_count int;
  v_text record;
  v_compiled record;
  v_marked record;
  v_full_text braid_store.candidate[] := '{}';
  v_semantic braid_store.candidate[] := '{}';
  v_semantic_mode text;
  v_ranked braid_store.fused_candidate[];
begin
  if not v_has_text and not v_has_embedding then
    raise exception 'query_text and query_embedding are both empty'
      using errcode = '22023', hint = 'Give a text, an embedding, or both.';
  end if;
  perform braid_store.check_search_arguments(match_count, full_text_weight, semantic_weight, rrf_k, candidate_count,
                                             min_score),
          braid_store.check_search_options(options),
          braid_store.required_words(match, 1);
  v_collection := braid_store.find_collection(collection);
  if options ? 'language' then
    v_collection.text_config := braid_store.language_config(options ->> 'language', v_collection.text_config);
  end if;
  perform braid_store.check_fusion(coalesce(fusion, v_collection.fusion));
  if v_has_embedding then
    perform braid_store.check_query_model(v_collection, options ->> 'embedding_model'),
            braid_store.check_embeddings(v_collection, array[query_embedding], 'query_embedding');
  end if;

  v_full_text_weight := coalesce(full_text_weight, v_collection.full_text_weight);
  v_semantic_weight := coalesce(semantic_weight, v_collection.semantic_weight);
  if v_is_hybrid and v_full_text_weight = 0 and v_semantic_weight = 0 then
    raise exception 'full_text_weight and semantic_weight are both 0'
      using errcode = '22023', hint = 'Give at least one leg a weight above 0.';
  end if;
  v_candidate_count := case when v_is_hybrid then coalesce(candidate_count, greatest(100, 4 * match_count))
                            else match_count end;
  v_filter := braid_store.filter_predicate(filters, v_tenant_id, v_collection.id);
  v_source := braid_store.filter_source(filters, v_tenant_id, v_collection.id);
  v_text := braid_store.searched_text(coalesce(query_text, ''), coalesce((options ->> 'operators')::boolean, true));
  v_compiled := braid_store.compile_search(v_tenant_id, v_collection, v_text.searched, match, is_reported,
                                           coalesce((options ->> 'correct')::boolean, false));

  if v_has_text and not (v_is_hybrid and v_full_text_weight = 0) then
    v_full_text := braid_store.full_text_candidates(
      v_tenant_id, v_collection, v_compiled.query, v_filter, v_source,
      case when v_is_hybrid then (options ->> 'full_text_min_score')::float8
           else greatest(min_score, (options ->> 'full_text_min_score')::float8) end,
      v_candidate_count);
  end if;
  if v_has_embedding and not (v_is_hybrid and v_semantic_weight = 0) then
    if v_is_hybrid and (v_compiled.query).conditions <> '{}' then
      v_filter := format('(%s) and (%s)', v_filter,
                         braid_store.demand_filter(v_tenant_id, v_collection, v_compiled.query));
    end if;
    select n.candidates, n.mode into v_semantic, v_semantic_mode
    from braid_store.semantic_candidates(
           v_tenant_id, v_collection, query_embedding, v_filter, v_source,
           case when v_is_hybrid then (options ->> 'semantic_min_score')::float8
                else greatest(min_score, (options ->> 'semantic_min_score')::float8) end,
           v_candidate_count, coalesce((options ->> 'exact')::boolean, false), (options ->> 'ef_search')::float8::int) n;
  end if;

  if v_is_hybrid then
    v_ranked := array(
      select f
      from braid_store.fuse_rrf(v_full_text, v_semantic, v_full_text_weight, v_semantic_weight,
                                coalesce(rrf_k, v_collection.rrf_k)) f
      where f.score >= coalesce(min_score, '-infinity'));
  else
    -- One leg alone keeps its own score.
    v_ranked := array(
      select row(c.chunk_id, c.score, c.score, c.score, c.rank, null, null, null)::braid_store.fused_candidate
      from unnest(v_full_text) c
      union all
      select row(c.chunk_id, c.score, null, null, null, c.score, c.score, c.rank)::braid_store.fused_candidate
      from unnest(v_semantic) c);
  end if;

  results := braid_store.result_rows(v_tenant_id, v_ranked, match_count);
  if coalesce(options ? 'snippet', false) and (braid_store.snippet_options(options)).is_asked then
    v_marked := braid_store.marked_lexemes(v_text.searched, v_collection, v_compiled.query, v_compiled.terms);
    results := braid_store.add_snippets(results, v_collection, options, v_marked.lexemes, v_marked.prefixes);
  end if;

  if not is_reported then
    return;
  end if;
  stats := jsonb_build_object(
    'mode', case when v_is_hybrid then 'hybrid' when v_has_text then 'full_text' else 'semantic' end,
    'semantic_mode', v_semantic_mode,
    'full_text_candidates', cardinality(v_full_text),
    'semantic_candidates', cardinality(v_semantic),
    'returned', cardinality(results),
    -- Only a hybrid search whose legs were cut short can have missed a match.
    'underfilled', v_is_hybrid and min_score is null and cardinality(results) < match_count
                   and v_candidate_count in (cardinality(v_full_text), cardinality(v_semantic)),
    'terms', v_compiled.terms,
    'dropped_terms', v_compiled.dropped_terms,
    'corrections', v_compiled.corrections,
    'query_cut', v_text.is_cut);
  if (options ->> 'explain')::boolean then
    stats := stats || braid_store.explain_search(v_tenant_id, v_collection, v_compiled.query, v_compiled.terms,
                                                 v_compiled.document_frequencies, v_compiled.frequencies);
  end if;
  stats := stats || jsonb_build_object(
    'query_time_ms', round(extract(epoch from clock_timestamp() - v_started) * 1000, 3));
end
$$;

comment on function braid_store.run_search(text, @vector@.vector, int, float8, float8, jsonb, text, text, float8, int,
                                           float8, text, jsonb, boolean) is
  'One search, for the tenant of the session: checks, legs, fusion, threshold, rows. Every search function of the API is '
  'this. Corrections are looked for if stats are reported.';
