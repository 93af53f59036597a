-- role: writer
create or replace function braid_calls.run_comparison(
  baseline jsonb,
  candidate jsonb,
  resample_count int,
  seed int,
  changed_count int
)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  c_most_draws constant bigint := 100000000;
  -- A smaller difference is a rounding error.
  c_tie constant float8 := 1e-9;
  v_metrics text[];
  v_metric text;
  v_ids text[];
  v_pair record;
  v_resampled record;
  v_compared jsonb := '{}';
begin
  perform braid_store.tenant_id_of_user();
  perform braid_store.check_evaluation(baseline, 'baseline'), braid_store.check_evaluation(candidate, 'candidate');
  if (resample_count between 100 and 100000) is not true then
    raise exception 'resample_count is %', coalesce(resample_count::text, 'null')
      using errcode = '22023', hint = 'Use 100 to 100000.';
  elsif (changed_count between 0 and 10000) is not true then
    raise exception 'changed_count is %', coalesce(changed_count::text, 'null')
      using errcode = '22023', hint = 'Use 0 to 10000.';
  elsif seed is null then
    raise exception 'seed is null' using errcode = '22023', hint = 'Give a whole number.';
  elsif baseline -> 'query_set' <> candidate -> 'query_set'
        or baseline -> 'judge' is distinct from candidate -> 'judge' then
    raise exception 'the evaluations are of different query sets or judges: % and %',
                    left(concat_ws(' ', baseline -> 'query_set', baseline -> 'judge'), 300),
                    left(concat_ws(' ', candidate -> 'query_set', candidate -> 'judge'), 300)
      using errcode = '22023', hint = 'Evaluate both configurations with the same queries and judgments.';
  end if;
  v_metrics := array(
    select m from jsonb_object_keys(baseline -> 'metrics') m where candidate -> 'metrics' ? m order by m collate "C");
  v_ids := array(
    select b.value ->> 'query_id' from jsonb_array_elements(baseline -> 'queries') b
    intersect
    select c.value ->> 'query_id' from jsonb_array_elements(candidate -> 'queries') c);
  if v_metrics = '{}' or cardinality(v_ids) < 2 then
    raise exception 'the evaluations have % metrics and % queries in common', cardinality(v_metrics), cardinality(v_ids)
      using errcode = '22023',
        hint = 'A comparison needs a metric and at least two queries; for an interval worth reading, 50.';
  elsif cardinality(v_ids)::bigint * resample_count * cardinality(v_metrics) > c_most_draws then
    raise exception '% queries, % metrics and % samples are more than % draws', cardinality(v_ids),
      cardinality(v_metrics),
                    resample_count, c_most_draws
      using errcode = '54000', hint = 'Draw fewer samples, or evaluate fewer metrics.';
  end if;

  foreach v_metric in array v_metrics loop
    with pairs as materialized (
      select b.query_id, b.query_text, b.value as baseline, c.value as candidate, c.value - b.value as difference
      from (
        select q.value ->> 'query_id' as query_id, q.value ->> 'query_text' as query_text,
               (q.value -> 'metrics' ->> v_metric)::float8 as value
        from jsonb_array_elements(run_comparison.baseline -> 'queries') q
      ) b
      join (
        select q.value ->> 'query_id' as query_id, (q.value -> 'metrics' ->> v_metric)::float8 as value
        from jsonb_array_elements(run_comparison.candidate -> 'queries') q
      ) c using (query_id)
    )
    select array_agg(p.difference order by p.query_id collate "C") as differences,
           avg(p.baseline order by p.query_id collate "C") as baseline,
           avg(p.candidate order by p.query_id collate "C") as candidate,
           count(*) filter (where p.difference > c_tie) as wins,
             count(*) filter (where p.difference < -c_tie) as losses,
           count(*) filter (where abs(p.difference) <= c_tie) as ties,
           (select coalesce(jsonb_agg(to_jsonb(m) order by abs(m.difference) desc, m.query_id collate "C"), '[]')
            from (select * from pairs m where abs(m.difference) > c_tie
                  order by abs(m.difference) desc, m.query_id collate "C"
                    limit run_comparison.changed_count) m) as changed
    into v_pair
    from pairs p;
    v_resampled := braid_store.resampled_difference(v_pair.differences, resample_count, seed);
    v_compared := v_compared || jsonb_build_object(v_metric, jsonb_build_object(
      'baseline', v_pair.baseline, 'candidate', v_pair.candidate, 'difference', v_pair.candidate - v_pair.baseline,
      'interval', jsonb_build_array(v_resampled.lower_bound, v_resampled.upper_bound), 'p_value', v_resampled.p_value,
      'wins', v_pair.wins, 'losses', v_pair.losses, 'ties', v_pair.ties, 'changed', v_pair.changed));
  end loop;
  return jsonb_build_object(
    'query_set', baseline -> 'query_set', 'query_count', cardinality(v_ids),
    'only_in_baseline', jsonb_array_length(baseline -> 'queries') - cardinality(v_ids),
    'only_in_candidate', jsonb_array_length(candidate -> 'queries') - cardinality(v_ids),
    'resample_count', resample_count, 'seed', seed, 'metrics', v_compared);
end
$$;

comment on function braid_calls.run_comparison(jsonb, jsonb, int, int, int) is
  'Do the work of braid.compare_evaluations.';
