create type braid_store.search_options as (
  language text,
  operators boolean,
  typos text,
  embedding_model text,
  explain boolean,
  prefilter boolean,
  strategy text,
  strategy_reason text,
  exact boolean,
  ef_search int,
  full_text_min_score float8,
  semantic_min_score float8,
  sparse_min_score float8,
  min_relevance text,
  ranking jsonb,
  full_text_normalisation text,
  semantic_normalisation text,
  sparse_normalisation text,
  saturate_at float8,
  smoothing float8,
  sparse jsonb,
  boosts jsonb,
  rank_by jsonb,
  is_rearranged boolean,
  is_arranged boolean,
  collapse boolean,
  collapse_similarity float8,
  group_by text,
  group_size int,
  group_score text,
  diversify boolean,
  diversify_lambda float8,
  context boolean,
  context_before int,
  context_after int,
  cursor text,
  snippet boolean,
  start_tag text,
  stop_tag text,
  fragment_count int,
  fragment_words int,
  fragment_separator text,
  parts jsonb
);

comment on type braid_store.search_options is
  'The options of a search after their checks, with defaults filled in. ranking: settings of the search in place of '
  'the collection''s. After compilation, the normalisations and smoothing are final. is_rearranged: rows may change '
  'their order or be left out after the legs, so match_count candidates are too few. is_arranged: groups, passages, '
  'pages or the like are asked for. context: passages are asked for. parts: options of parts as they were given, by '
  'name; null if there are none.';
