create or replace function braid_store.compile_request(
  tenant_id int,
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
  is_reported boolean
)
returns braid_store.search_request
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_has_text boolean := coalesce(query_text, '') <> '';
  v_collection braid_store.collections;
  v_options braid_store.search_options;
  v_searched record;
  v_compiled record;
  v_scoped record;
  v_request braid_store.search_request;
begin
  if not v_has_text and query_embedding is null then
    raise exception 'query_text and query_embedding are both empty'
      using errcode = '22023', hint = 'Give a text, an embedding, or both.';
  end if;
  perform braid_store.check_search_arguments(match_count, full_text_weight, semantic_weight, rrf_k, candidate_count,
                                             min_score);
  v_options := braid_store.read_search_options(options);
  perform braid_store.required_words(match, 1);

  v_collection := braid_store.find_collection(collection);
  v_collection.full_text_weight := coalesce(full_text_weight, v_collection.full_text_weight);
  v_collection.semantic_weight := coalesce(semantic_weight, v_collection.semantic_weight);
  v_collection.fusion := coalesce(fusion, v_collection.fusion);
  v_collection.rrf_k := coalesce(rrf_k, v_collection.rrf_k);
  if v_options.language is not null then
    v_collection.text_config := braid_store.language_config(v_options.language, v_collection.text_config);
  end if;
  perform braid_store.check_ranking(v_collection, v_options, v_has_text, query_embedding, options -> 'normalisation');
  v_options.full_text_normalisation := coalesce(v_options.full_text_normalisation, v_collection.normalisation);
  v_options.semantic_normalisation := coalesce(v_options.semantic_normalisation, v_collection.normalisation);

  v_request.tenant_id := tenant_id;
  v_request.collection := v_collection;
  v_request.options := v_options;
  v_request.query_embedding := query_embedding;
  v_request.filters := filters;
  v_request.match_count := match_count;
  v_request.min_score := min_score;
  v_request.legs := case when not v_has_text then 'semantic' when query_embedding is null then 'full_text'
                         when v_options.prefilter then 'prefilter' else 'hybrid' end;
  v_request.boosts := case when v_options.boosts = '[]' then '{}'
                           else braid_store.compile_boosts(v_options.boosts, tenant_id, v_collection.id) end;
  v_request := braid_store.plan_candidates(
    v_request, candidate_count,
    case when v_options.cursor is not null then braid_store.query_fingerprint(array[
      tenant_id::text, v_collection.id::text, query_text, query_embedding::text, full_text_weight::text,
      semantic_weight::text, filters::text, fusion, rrf_k::text, candidate_count::text, min_score::text, match,
      (options - 'cursor')::text]) end);
  v_request.filter := case when filters is null then braid_store.no_filter()
                           else braid_store.compile_filter(filters, tenant_id, v_collection.id) end;

  v_searched := braid_store.searched_text(coalesce(query_text, ''), v_options.operators);
  v_request.query_text := v_searched.searched;
  v_request.is_cut := v_searched.is_cut;
  v_request.tokens := braid_store.query_tokens(v_searched.searched, v_collection.text_config, v_collection.fold_diacritics);
  v_compiled := braid_store.compile_search(tenant_id, v_collection, v_request.tokens, match, is_reported,
                                           v_options.correct);
  v_request.query := v_compiled.query;
  v_request.corrections := v_compiled.corrections;
  if v_options.statistics_scope = 'filter' and v_has_text and not (v_request.filter).is_empty then
    v_scoped := braid_store.scope_statistics(tenant_id, v_collection, v_request.query, v_request.filter);
    v_request.query := coalesce(v_scoped.scoped, v_request.query);
    v_request.scope_chunks := v_scoped.chunk_count;
  end if;
  return v_request;
end
$$;

comment on function braid_store.compile_request(int, text, @vector@.vector, int, float8, float8, jsonb, text, text, float8,
                                                int, float8, text, jsonb, boolean) is
  'Checks the arguments of a search and makes the request that its parts hand down. Raises an error for arguments '
  'that a search cannot use. is_reported: corrections of words that occur nowhere are shown to the caller. They are '
  'looked for in that case, and if the options apply them.';
