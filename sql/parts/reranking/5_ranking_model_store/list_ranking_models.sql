-- role: writer
-- example: braid.list_ranking_models()
-- page: guide/learning-to-rank.md
create or replace function braid.list_ranking_models()
returns table (name text, mode text, features text[], tree_count int, learned jsonb, collections text[],
  updated_at timestamptz)
language sql
stable
parallel unsafe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.describe_ranking_models();
$$;

comment on function braid.list_ranking_models() is
  E'List the ranking models of the session''s tenant, in the order of their names (by bytes).\n'
  'mode: the mode of the searches that it was learned from. learned: the data it was learned from, and its gain; '
  'null if unknown. collections: the collections whose searches it ranks by default.';
