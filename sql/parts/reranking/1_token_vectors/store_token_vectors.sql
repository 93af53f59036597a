-- role: writer
-- example: braid.store_token_vectors(chunk_ids => '{}', vectors => '{}', vector_counts => '{}', collection =>
--   'small')
-- page: guide/token-vectors.md
create or replace function braid.store_token_vectors(
  chunk_ids bigint[],
  vectors @vector@.halfvec[],
  vector_counts int[],
  collection text default 'default',
  embedding_model text default null
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.replace_token_vectors(store_token_vectors.chunk_ids, store_token_vectors.vectors,
                                           store_token_vectors.vector_counts, store_token_vectors.collection,
                                           store_token_vectors.embedding_model);
$$;

comment on function braid.store_token_vectors(bigint[], @vector@.halfvec[], int[], text, text) is
  E'Store the vectors of the tokens of chunks, for searches with the option late_interaction, in place of those they '
  'had.\n'
  'vectors: those of the first of chunk_ids, then those of the second, and so on; of any length but 0. '
  'vector_counts: how many belong to each, 1 to what set_token_vectors allows. At most 10000 chunks and 100000 '
  'vectors. Chunks that were deleted in the meantime are passed over. embedding_model: the model that made the '
  'vectors; null takes the one of set_token_vectors. Return how many chunks got theirs.';
