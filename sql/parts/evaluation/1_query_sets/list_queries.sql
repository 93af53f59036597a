-- role: writer
-- example: braid.list_queries(query_set => 'asked')
-- page: guide/evaluation.md
create or replace function braid.list_queries(query_set text, match_count int default 100, after text default null)
returns table (
  query_id text, query_text text, filters jsonb, embedding_models text[], judgment_count bigint, updated_at timestamptz
)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.page_queries(query_set, match_count, after);
$$;

comment on function braid.list_queries(text, int, text) is
  E'List the queries of a query set, in the order of their ids (by bytes).\n'
  'match_count: limits the number of queries, up to 10000. after: the last query_id of the page before; null gives '
  'the first page. embedding_models: the embedding models that the query has an embedding of.';
