create type braid_store.candidate as (
  chunk_id bigint,
  score float8,
  rank int
);

comment on type braid_store.candidate is
  'A chunk found by one leg (full text, semantic or sparse search), with its score and its rank there.';
