-- Made of options.json and of the type's file by: make generate
create or replace function braid_store.default_options(embedding_model text, operators boolean)
returns braid_store.search_options
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- All defaults are one expression, because a session's first search plans each expression separately.
  return row(
    null, -- language
    default_options.operators, -- operators
    null, -- typos
    default_options.embedding_model, -- embedding_model
    false, -- explain
    false, -- prefilter
    'hybrid', -- strategy
    null, -- strategy_reason
    false, -- exact
    null, -- ef_search
    null, -- full_text_min_score
    null, -- semantic_min_score
    null, -- sparse_min_score
    null, -- min_relevance
    null, -- ranking
    null, -- full_text_normalisation
    null, -- semantic_normalisation
    null, -- sparse_normalisation
    null, -- saturate_at
    null, -- smoothing
    null, -- sparse
    '[]', -- boosts
    null, -- rank_by
    false, -- is_rearranged
    false, -- is_arranged
    false, -- collapse
    null, -- collapse_similarity
    null, -- group_by
    1, -- group_size
    'max', -- group_score
    false, -- diversify
    0.5, -- diversify_lambda
    false, -- context
    0, -- context_before
    0, -- context_after
    null, -- cursor
    false, -- snippet
    '<mark>', -- start_tag
    '</mark>', -- stop_tag
    2, -- fragment_count
    30, -- fragment_words
    ' … ', -- fragment_separator
    null -- parts
  )::braid_store.search_options;
end
$$;

comment on function braid_store.default_options(text, boolean) is
  'Return the options of a search that gives none, or only embedding_model and operators. Options that the '
  'collection decides are null.';
