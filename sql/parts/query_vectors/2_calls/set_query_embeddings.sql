-- role: administrator
-- example: braid.set_query_embeddings(collection => 'small', embedding_count => 5)
-- page: guide/query-vectors.md
create or replace function braid.set_query_embeddings(collection text, embedding_count int default 1000)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_query_embeddings(set_query_embeddings.collection, set_query_embeddings.embedding_count);
$$;

comment on function braid.set_query_embeddings(text, int) is
  E'Set for how many queries a collection stores vectors, so that repeated queries need no embedding.\n'
  'A hybrid search of text alone uses the vector that is stored for its text, and says so in stats; without a stored '
  'vector it is a full-text search. embedding_count: the most vectors per tenant, 0 to 10000; beyond it, the vectors '
  'stored longest ago are deleted. 0, the default of a new collection, stores none. Clients store vectors with '
  'store_query_embedding. Only administrators may call it.';
