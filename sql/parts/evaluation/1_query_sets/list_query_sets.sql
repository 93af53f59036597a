-- role: writer
-- example: braid.list_query_sets()
-- page: guide/evaluation.md
create or replace function braid.list_query_sets()
returns table (
  query_set text, level text, description text, query_count bigint, judged_count bigint, judgment_count bigint,
    judges text[],
  created_at timestamptz
)
language sql
stable
parallel unsafe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.count_query_sets();
$$;

comment on function braid.list_query_sets() is
  E'List the query sets of the session''s tenant, in the order of their names (by bytes).\n'
  'judged_count: the number of queries with judgments. judges: the names of the judges.';
