create type braid_store.scored_chunks as (
  chunk_ids bigint[],
  scores float8[],
  threshold float8
);

comment on type braid_store.scored_chunks is
  'Chunks, parallel to their scores; null for a chunk that has none of the lexemes. threshold: the score of the last '
  'chunk wanted so far; chunks below it need not be examined.';
