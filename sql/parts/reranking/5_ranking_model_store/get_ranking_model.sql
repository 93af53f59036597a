-- role: writer
-- example: braid.get_ranking_model(name => 'learned')
-- page: guide/learning-to-rank.md
create or replace function braid.get_ranking_model(name text)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_ranking_model(name);
$$;

comment on function braid.get_ranking_model(text) is
  E'Return a ranking model of the session''s tenant as it was stored; null if there is none of that name.\n'
  'For writers; all other roles only rank by it in searches.';
