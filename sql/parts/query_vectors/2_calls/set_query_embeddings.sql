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
  E'Say of how many queries a collection stores the vectors, so that none is embedded twice.\n'
  'A hybrid search of text alone takes the vector that is stored for its text, and says so in stats; without one it is '
  'by full text. embedding_count: how many each tenant has at most, 0 to 10000; beyond that those go that were not stored '
  'again for longest. 0: none, as in a new collection. Clients store them with store_query_embedding. For administrators.';
