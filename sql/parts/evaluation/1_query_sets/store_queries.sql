-- role: writer
-- example: braid.store_queries(query_set => 'asked', queries => '[]', collection => 'small')
-- page: guide/evaluation.md
create or replace function braid.store_queries(query_set text, queries jsonb, collection text default 'default')
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.write_queries(query_set, queries, collection);
$$;

comment on function braid.store_queries(text, jsonb, text) is
  E'Store queries of a query set, replacing queries with the same query_id.\n'
  'queries: a JSON array of at most 10000 objects with query_id, text and, optionally, filters and embedding. The '
  'filters apply in addition to each evaluation''s filters. collection: the collection whose embedding model made '
  'the embeddings, and whose metadata keys the filters name. A query may have one embedding of each of several '
  'models. A stored query that is replaced keeps its judgments and, if the text is the same, its embeddings. Return '
  'the number of queries given.';
