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
  E'Compare two evaluations of a query set, query by query, and tell how sure the difference is.\n'
  'baseline, candidate: what evaluate returned for two configurations. resample_count: how many samples are drawn, '
  '100 to 100000. changed_count: how many changed queries are listed, 0 to 10000. Return an object with, for each '
  'metric that both have: both means, their difference (candidate - baseline), interval (95 %, bootstrap of the '
  'queries), p_value (two-sided paired randomisation test), wins, losses and ties of the candidate, and changed: '
  'the queries that changed most. The same seed gives the same result. Of several metrics, one will differ by '
  'chance: decide before which counts.';
