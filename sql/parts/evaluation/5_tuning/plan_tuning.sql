-- role: writer
-- example: braid.plan_tuning(query_set => 'tuned', search_space => '{"k1": [2]}', budget => 2, configuration =>
--   '{"mode": "full_text", "collection": "small"}')
-- page: guide/tuning.md
create or replace function braid.plan_tuning(
  query_set text,
  search_space jsonb default null,
  budget int default 50,
  configuration jsonb default '{}',
  judge text default null,
  seed int default 0
)
returns table (place int, changes jsonb, candidate jsonb, combination_count numeric)
language sql
stable
parallel unsafe
security invoker
rows 50
set search_path = pg_catalog, pg_temp
as $$
  select p.* from braid_calls.make_tuning_plan(query_set, search_space, budget, configuration, judge, seed) p;
$$;

comment on function braid.plan_tuning(text, jsonb, int, jsonb, text, int) is
  E'Return the configurations that tune would evaluate, to evaluate them one by one.\n'
  'The arguments are as in tune. place: 1 is the present ranking. changes: the settings drawn from the search space. '
  'candidate: the configuration for evaluate. Give the results of evaluate, in this order, to choose_configuration. '
  'combination_count: the number of combinations of the search space and the present values.';
