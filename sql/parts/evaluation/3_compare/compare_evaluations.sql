-- role: writer
-- example: braid.compare_evaluations(baseline => braid.evaluate('asked', '{"collection": "small"}'), candidate =>
--   braid.evaluate('asked', '{"mode": "full_text", "collection": "small"}'), resample_count => 100)
-- page: guide/evaluation.md#compare-two-configurations
create or replace function braid.compare_evaluations(
  baseline jsonb,
  candidate jsonb,
  resample_count int default 2000,
  seed int default 0,
  changed_count int default 10
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_comparison(baseline, candidate, resample_count, seed, changed_count);
$$;

comment on function braid.compare_evaluations(jsonb, jsonb, int, int, int) is
  E'Compare two evaluations of a query set query by query, and tell how certain the difference is.\n'
  'baseline, candidate: results of evaluate for two configurations. resample_count: the number of samples drawn, 100 '
  'to 100000. changed_count: the number of changed queries to list, 0 to 10000.\n'
  'Return an object with the metrics that both have. Each metric has both means, their difference (candidate - '
  'baseline), interval (95 %, bootstrap of the queries) and p_value (two-sided paired randomisation test). It also '
  'has wins, losses and ties of the candidate, and changed, the queries that changed most. The same seed gives the '
  'same result. With several metrics, one will differ by chance, so decide beforehand which one counts.';
