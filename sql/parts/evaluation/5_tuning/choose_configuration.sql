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
  'it.\n'
  'evaluations: an array of what evaluate returned for each, the present configuration first; all of the same '
  'queries. metric: the metric to choose by. fold_count: 2 to 5. resample_count: how many samples are drawn, 100 to '
  '100000.\n'
  'The queries are dealt into fold_count folds. Of each fold, the queries of the others choose the configuration '
  'with the highest mean, and those of the fold measure it. held_out: the gain over the present configuration so '
  'measured, its 95 % interval (bootstrap of the queries, widened since folds share the queries that choose) and '
  'p_value (a randomisation test that chooses anew each time); if the interval reaches 0, about how many queries '
  'would tell (query_count_needed). chosen: what all queries choose; its mean is on the queries that chose it, so '
  'it flatters. folds: what each fold was measured with. tried: the mean of each configuration.';
