create or replace function braid_store.default_options(embedding_model text, operators boolean)
returns braid_store.search_options
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- One expression and not one for each option: a session's first search plans each expression that it meets.
  return row(
    null, default_options.operators, false, null, default_options.embedding_model, -- language, operators, correct, statistics_scope, embedding_model
    false, null, null, false, null, -- prefilter, full_text_min_score, semantic_min_score, exact, ef_search
    null, null, '[]', false, false, -- full_text_normalisation, semantic_normalisation, boosts, is_rearranged, is_arranged
    false, null, null, 1, 'max', -- collapse, collapse_similarity, group_by, group_size, group_score
    false, 0.5, false, 0, 0, -- diversify, diversify_lambda, context, context_before, context_after
    null, false, null, null, null, null, null, -- cursor, snippet and its five arguments
    false, null, null, null, null, null, -- explain, min_relevance, neighbour_weight, smoothing, rank_by, saturate_at
    null, null, null, null, -- sparse, sparse_weight, sparse_min_score, sparse_normalisation
    null, null, null, null, -- token_vectors, token_vector_model, token_candidates, token_weight
    null, null, null, null, null)::braid_store.search_options; -- profile, model, model_report, ranking, parts
end
$$;

comment on function braid_store.default_options(text, boolean) is
  'Returns the options of a search that gives none but embedding_model and operators, or not even these. What the collection '
  'decides is null.';
