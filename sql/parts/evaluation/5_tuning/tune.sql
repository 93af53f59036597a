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
  E'Try other rankings on judged queries, and tell which one is best and what it gains on queries that did not choose '
  'it.\n'
  'search_space: an object of lists, such as {"k1": [0.9, 1.2], "title_weight": [1, 2]}. Its keys are settings of '
  'set_ranking, and candidate_count, ef_search and boosts. Null tries the weights and smoothing in hybrid searches '
  'with fewer than 60 queries, else many settings. A key that changes nothing in these searches is refused. budget: '
  'the number of configurations to evaluate, including the present one. If there are more combinations, a random '
  'sample of them is evaluated. configuration: the settings of the searches as for evaluate, without the keys of '
  'search_space. metric: the metric to choose by. judge: used as by evaluate. fold_count: must be 2 to 5.\n'
  'Return the result of choose_configuration; chosen has ranking, for set_ranking, and search_arguments, which '
  'searches must give themselves. It only reads, and runs budget × judged queries searches in one statement, so mind '
  'statement_timeout. At least 20 queries must have a relevant result. The same seed gives the same result.';
