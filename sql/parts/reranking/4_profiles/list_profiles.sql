-- role: writer
-- example: braid.list_profiles()
-- page: guide/personalise.md
create or replace function braid.list_profiles(match_count int default 100, after text default null)
returns table (profile text, embedding_model text, attributes jsonb, updated_at timestamptz)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.page_profiles(match_count, after);
$$;

comment on function braid.list_profiles(int, text) is
  E'List the profiles of the session''s tenant, in the order of their names (by bytes).\n'
  'match_count: how many, up to 10000. after: the name that the page before ended with; null for the first page. '
  'embedding_model: the model of its vector; null if it has none.';
