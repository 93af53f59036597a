create type braid_store.candidate as (
  chunk_id bigint,
  score float8,
  rank int
);

comment on type braid_store.candidate is
  'A chunk that one leg, full text, semantic or sparse search, found, with its score and its rank there.';
