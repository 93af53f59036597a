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
  select braid_store.complete_embedding_jobs(store_embeddings.chunk_ids, store_embeddings.embeddings,
                                             store_embeddings.collection, store_embeddings.embedding_model);
$$;

comment on function braid.store_embeddings(bigint[], @vector@.vector[], text, text) is
  'Stores the embeddings of chunks, in the order of chunk_ids, and ends their jobs. Returns how many were stored; '
  'chunks deleted meanwhile are passed over. embedding_model is that of claim_embedding_jobs.';
