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
  'match_count: limits the number of profiles, up to 10000. after: the last name of the page before; null gives the '
  'first page. embedding_model: the model of the profile''s vector; null if it has none.';
