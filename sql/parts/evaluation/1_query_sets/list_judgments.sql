-- role: writer
-- standby: no
-- example: braid.list_judgments(query_set => 'asked', query_id => '1')
-- page: guide/evaluation.md
create or replace function braid.list_judgments(query_set text, query_id text)
returns table (external_id text, chunk_index int, judge text, grade int, updated_at timestamptz)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.read_judgments(query_set, query_id);
$$;

comment on function braid.list_judgments(text, text) is
  E'List the judgments of a query, the highest grades first.\n'
  'query_id: the query. chunk_index: null in a query set of documents.';
