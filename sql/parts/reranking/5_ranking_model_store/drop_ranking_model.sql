-- role: writer
-- example: braid.drop_ranking_model(name => 'learned')
-- page: guide/learning-to-rank.md
create or replace function braid.drop_ranking_model(name text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_ranking_model(name);
$$;

comment on function braid.drop_ranking_model(text) is
  E'Drop a ranking model of the session''s tenant.\n'
  'Return true, or false if there is none of that name. Collections that name it rank this tenant''s searches '
  'without it.';
