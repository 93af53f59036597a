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
  E'Store the token vectors of chunks, for searches with the option late_interaction, replacing earlier ones.\n'
  'chunk_ids: the chunks to store vectors for. vectors: has all vectors of the first chunk of chunk_ids, then all '
  'vectors of the second, and so on; of any length but 0. vector_counts: has the number of vectors of each chunk, '
  'from 1 up to the limit of set_token_vectors. embedding_model: the model that made the vectors; null takes the '
  'model of set_token_vectors.\n'
  'A call takes at most 10000 chunks and 100000 vectors. Chunks that were deleted in the meantime are skipped. '
  'Return the number of chunks stored.';
