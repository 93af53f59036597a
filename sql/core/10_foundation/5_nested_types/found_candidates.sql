create type braid_store.found_candidates as (
  full_text braid_store.candidate[],
  semantic braid_store.candidate[],
  semantic_mode text,
  is_cut boolean,
  postings_read bigint,
  chunks_scored int,
  filter braid_store.filter,
  filter_ms float8,
  sparse braid_store.candidate[],
  shard braid_store.serving_shard
);

comment on type braid_store.found_candidates is
  'The candidates of each leg, and how they were found. is_cut: full text ended before it had scored all chunks that '
  'it might have found. filter: the request''s filter, with its measured selectivity. filter_ms: the time spent on '
  'the filter, in milliseconds.';
