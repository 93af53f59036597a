-- role: writer
create or replace function braid_calls.run_tuning(
  query_set text,
  search_space jsonb,
  budget int,
  configuration jsonb,
  metric text,
  judge text,
  fold_count int,
  seed int
)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most_searches constant bigint := 100000;
  v_plan record;
  v_query_count bigint;
  v_candidate jsonb;
  v_evaluations jsonb[] := '{}';
begin
  -- Check everything before the searches, which may take long.
  perform braid_store.check_metrics(array[run_tuning.metric]);
  if (run_tuning.fold_count between 2 and 5) is not true then
    raise exception 'fold_count is %', coalesce(run_tuning.fold_count::text, 'null')
      using errcode = '22023', hint = 'Use 2 to 5, usually 5.';
  end if;
  select array_agg(p.candidate order by p.place) as candidates, max(p.combination_count) as combination_count
  into v_plan
  from braid_calls.make_tuning_plan(run_tuning.query_set, run_tuning.search_space, run_tuning.budget,
    run_tuning.configuration,
                                    run_tuning.judge, run_tuning.seed) p;
  select count(*) into v_query_count
  from braid_store.queries q
  where q.tenant_id = braid_store.tenant_id_of_user() and q.query_set = run_tuning.query_set
    and exists (
      select from braid_store.judgments j
      where j.tenant_id = q.tenant_id and j.query_set = q.query_set and j.query_id = q.query_id
        and (run_tuning.judge is null or j.judge = run_tuning.judge));
  if v_query_count * cardinality(v_plan.candidates) > c_most_searches then
    raise exception '% judged queries by % configurations are more than % searches', v_query_count,
      cardinality(v_plan.candidates),
                    c_most_searches
      using errcode = '54000',
        hint = 'Give a lower budget, or use pgbraid tune, which evaluates each configuration by a statement of its '
          'own.';
  end if;
  foreach v_candidate in array v_plan.candidates loop
    v_evaluations := v_evaluations || (
      braid_calls.run_evaluation(run_tuning.query_set, v_candidate, array[run_tuning.metric], run_tuning.judge, false)
      - '{counts,warnings,latency,level}'::text[]);
  end loop;
  return braid_calls.choose_evaluated(to_jsonb(v_evaluations), run_tuning.metric, run_tuning.fold_count, 2000,
    run_tuning.seed)
         || jsonb_build_object('budget', run_tuning.budget, 'combination_count', v_plan.combination_count,
                               'search_count', v_query_count * cardinality(v_evaluations));
end
$$;

comment on function braid_calls.run_tuning(text, jsonb, int, jsonb, text, text, int, int) is
  'Do the work of braid.tune.';
