-- role: writer
-- example: braid.choose_configuration(evaluations => (select jsonb_agg(braid.evaluate('tuned', '{"collection":
--   "small", "mode": "full_text"}')) from generate_series(1, 2)))
-- page: guide/tuning.md
create or replace function braid.choose_configuration(
  evaluations jsonb,
  metric text default 'ndcg@10',
  fold_count int default 5,
  resample_count int default 2000,
  seed int default 0
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.choose_evaluated(evaluations, metric, fold_count, resample_count, seed);
$$;

comment on function braid.choose_configuration(jsonb, text, int, int, int) is
  E'Choose the best of several evaluated configurations, and tell what choosing gains on queries that had no part in '
  'the choice.\n'
  'evaluations: an array of results of evaluate for the same queries, one per configuration, the present '
  'configuration first. metric: the metric to choose by. fold_count: must be 2 to 5. resample_count: the number of '
  'samples drawn, 100 to 100000.\n'
  'The queries are split into fold_count folds. For each fold, the queries of the other folds choose the '
  'configuration with the highest mean, and the queries of the fold measure it.\n'
  'held_out: the gain over the present configuration measured this way, its 95 % interval and p_value. Its interval '
  'comes from a bootstrap of the queries, widened because folds share the queries that choose. Its p_value comes '
  'from a randomisation test that chooses anew each time. If the interval reaches 0, query_count_needed estimates '
  'how many queries would decide. chosen: the configuration that all queries choose; its mean is too high, because '
  'it is measured on the queries that chose it. folds: the configuration and the gain of each fold. tried: the mean '
  'of each configuration.';
