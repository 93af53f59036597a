-- role: writer
-- example: braid.tune(query_set => 'tuned', search_space => '{"k1": [2]}', budget => 2, configuration => '{"mode":
--   "full_text", "collection": "small"}')
-- page: guide/tuning.md
create or replace function braid.tune(
  query_set text,
  search_space jsonb default null,
  budget int default 50,
  configuration jsonb default '{}',
  metric text default 'ndcg@10',
  judge text default null,
  fold_count int default 5,
  seed int default 0
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_tuning(query_set, search_space, budget, configuration, metric, judge, fold_count, seed);
$$;

comment on function braid.tune(text, jsonb, int, jsonb, text, text, int, int) is
  E'Try other rankings on judged queries, and tell which is best and what that gains on queries that did not choose '
  'it.\n'
  'search_space: an object of lists, such as {"k1": [0.9, 1.2], "title_weight": [1, 2]}, with the keys of '
  'set_ranking, and candidate_count, ef_search and boosts; null: a usual one. budget: how many configurations are '
  'evaluated, the present one among them: all combinations if there are no more, else combinations drawn at random. '
  'A key that changes nothing in these searches is refused. configuration: as for evaluate: what searches ask for, '
  'without the keys of search_space. metric: the metric to choose by. judge: as for evaluate. fold_count: 2 to 5. '
  'Return what choose_configuration does; chosen has ranking, for set_ranking, and search_arguments, which searches '
  'must give themselves. It only reads, and takes as long as budget × judged queries searches, in one statement: '
  'mind statement_timeout. At least 30 queries must have something relevant. The same seed gives the same result.';
