-- role: writer
-- example: braid.store_embeddings(chunk_ids => '{}', embeddings => '{}', collection => 'small')
-- page: guide/embeddings.md
create or replace function braid.store_embeddings(
  chunk_ids bigint[],
  embeddings @vector@.vector[],
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
  select braid_calls.complete_embedding_jobs(store_embeddings.chunk_ids, store_embeddings.embeddings,
                                             store_embeddings.collection, store_embeddings.embedding_model);
$$;

comment on function braid.store_embeddings(bigint[], @vector@.vector[], text, text) is
  E'Store embeddings of chunks and end their jobs.\n'
  'chunk_ids: the chunks that were embedded, at most 10000; chunks that were deleted meanwhile are passed over. '
  'embeddings: one for each of chunk_ids, in the same order, with the dimensions that the collection''s model has. '
  'embedding_model: see claim_embedding_jobs.\n'
  'Return the number of embeddings stored.';
