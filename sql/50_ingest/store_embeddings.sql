create or replace function braid.store_embeddings(
  chunk_ids bigint[],
  embeddings @vector@.vector[],
  collection text default 'default'
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.complete_embedding_jobs(store_embeddings.chunk_ids, store_embeddings.embeddings,
                                             store_embeddings.collection);
$$;

comment on function braid.store_embeddings(bigint[], @vector@.vector[], text) is
  'Stores the embeddings of chunks, in the order of chunk_ids, and ends their jobs. Returns how many were stored; '
  'chunks deleted meanwhile are passed over.';
