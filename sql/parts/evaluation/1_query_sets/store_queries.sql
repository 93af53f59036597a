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
  E'Store queries of a query set, in place of those with the same query_id.\n'
  'queries: a JSON array of objects with query_id, text and, if you like, filters (added to those of each '
  'evaluation) and embedding; at most 10000. collection: whose model made the embeddings, and whose metadata keys '
  'the filters name. A query may have an embedding of each of several models. A query that is stored again keeps its '
  'judgments, and with the same text the embeddings that it had. Return how many queries were given.';
