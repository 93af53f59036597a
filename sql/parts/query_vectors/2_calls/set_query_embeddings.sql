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
  E'Set for how many queries a collection stores the vectors, so that none is embedded twice.\n'
  'A hybrid search of text alone takes the vector that is stored for its text, and says so in stats; without one it '
  'is by full text. embedding_count: the most vectors that each tenant has, 0 to 10000; beyond that, the vectors '
  'stored longest ago are deleted. 0 stores none, as in a new collection. Clients store vectors with '
  'store_query_embedding. Only administrators may call it.';
