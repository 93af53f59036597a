-- role: writer
-- example: braid.drop_query_set(query_set => 'asked')
-- page: guide/evaluation.md
create or replace function braid.drop_query_set(query_set text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_query_set(query_set);
$$;

comment on function braid.drop_query_set(text) is
  E'Drop a query set of the session''s tenant, with its queries and judgments.\n'
  'Return true, or false if there is none of that name.';
