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
  'What the legs of a search found, and how. is_cut: full text ended before it had scored all chunks that it might have '
  'found. filter: that of the request, with what was found out about it. filter_ms: the time that this took.';
