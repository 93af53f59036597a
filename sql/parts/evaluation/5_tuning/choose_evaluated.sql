-- role: writer, definer
create or replace function braid_calls.choose_evaluated(
  evaluations jsonb,
  metric text,
  fold_count int,
  resample_count int,
  seed int
)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
set jit = off
as $$
declare
  c_most_evaluations constant int := 500;
  c_most_values constant bigint := 1000000;
  c_most_draws constant bigint := 100000000;
  c_least_queries constant int := 20;
  -- This limits the random signs drawn in total, but each difference gets at least 200.
  c_most_signs constant bigint := 5000000;
  -- A smaller difference is a rounding error.
  c_tie constant float8 := 1e-9;
  v_count int;
  v_evaluation jsonb;
  v_first jsonb;
  v_row record;
  v_query_ids text[];
  v_query_count int;
  v_taught_count int;
  v_values float8[] := '{}';
  v_means float8[] := '{}';
  v_tried jsonb[] := '{}';
  v_folds int[];
  v_places int[];
  v_place int;
  v_baseline float8[];
  v_held_out float8[];
  v_differences float8[];
  v_sure record;
  v_gain float8;
  v_stretch float8;
  v_lower float8;
  v_upper float8;
  v_p_value float8;
  v_needed bigint;
begin
  perform braid_store.tenant_id_of_user();
  if jsonb_typeof(evaluations) is distinct from 'array' or jsonb_array_length(evaluations) not between 2
    and c_most_evaluations then
    raise exception 'evaluations is %', case when jsonb_typeof(evaluations) = 'array' then format('an array of %s',
      jsonb_array_length(evaluations))
                                             else coalesce('a JSON ' || jsonb_typeof(evaluations), 'null') end
      using errcode = '22023',
            hint = format('Give an array of 2 to %s objects that braid.evaluate returned, the present configuration '
                          'first. GET turns JSON into a string: use POST.', c_most_evaluations);
  elsif (fold_count between 2 and 5) is not true then
    raise exception 'fold_count is %', coalesce(fold_count::text, 'null') using errcode = '22023',
      hint = 'Use 2 to 5, usually 5.';
  elsif (resample_count between 100 and 100000) is not true then
    raise exception 'resample_count is %', coalesce(resample_count::text, 'null') using errcode = '22023',
      hint = 'Use 100 to 100000.';
  elsif seed is null then
    raise exception 'seed is null' using errcode = '22023', hint = 'Give a whole number.';
  end if;
  perform braid_store.check_metrics(array[choose_evaluated.metric]);
  v_count := jsonb_array_length(evaluations);
  v_first := evaluations -> 0;
  for v_place in 1 .. v_count loop
    v_evaluation := evaluations -> (v_place - 1);
    perform braid_store.check_evaluation(v_evaluation, format('evaluations[%s]', v_place));
    if not v_evaluation -> 'metrics' ? choose_evaluated.metric then
      raise exception 'evaluations[%] has no metric %', v_place, choose_evaluated.metric
        using errcode = '22023', hint = 'Evaluate each configuration with this metric.';
    elsif jsonb_array_length(v_evaluation -> 'queries') * v_count::bigint > c_most_values then
      raise exception '% queries by % configurations are more than %', jsonb_array_length(v_evaluation -> 'queries'),
        v_count, c_most_values
        using errcode = '54000', hint = 'Evaluate fewer configurations, or divide the queries among several query '
                                        'sets.';
    end if;
    select array_agg(q.value ->> 'query_id' order by q.value ->> 'query_id' collate "C") as ids,
           array_agg((q.value #>> array['metrics', choose_evaluated.metric])::float8
             order by q.value ->> 'query_id' collate "C") as found,
           count(*) filter (where braid_store.is_number(q.value -> 'relevant', 1, 1e9)) as taught_count
    into v_row
    from jsonb_array_elements(v_evaluation -> 'queries') q;
    if v_place = 1 then
      v_query_ids := v_row.ids;
      v_query_count := cardinality(v_query_ids);
      v_taught_count := v_row.taught_count;
    end if;
    if v_row.ids is distinct from v_query_ids or v_evaluation -> 'query_set' <> v_first -> 'query_set'
       or v_evaluation -> 'judge' is distinct from v_first -> 'judge' then
      raise exception 'evaluations[%] has other queries or another judge than the first evaluation', v_place
        using errcode = '22023', hint = 'Evaluate all with the same queries and judgments.';
    end if;
    v_values := v_values || v_row.found;
    v_means := v_means || (select avg(f) from unnest(v_row.found) f);
    v_tried := v_tried || jsonb_build_object(
      'place', v_place, 'mean', v_means[v_place],
      'changes', braid_store.changed_settings(v_first -> 'configuration', v_evaluation -> 'configuration'));
  end loop;
  if v_taught_count < c_least_queries then
    raise exception 'evaluations have % queries for which something is judged relevant, and tuning needs %',
      v_taught_count, c_least_queries
      using errcode = '22023',
            hint = format('Judge results of %s more queries: with fewer, the choice is chance.',
              c_least_queries - v_taught_count);
  elsif v_query_count::bigint * resample_count > c_most_draws then
    raise exception '% queries and % samples are more than % draws', v_query_count, resample_count, c_most_draws
      using errcode = '54000', hint = 'Draw fewer samples.';
  end if;

  -- A hash assigns the folds, so that the same queries always come into the same fold.
  v_folds := array(
    select 1 + (row_number() over (order by hashtextextended(i.id, seed), i.id collate "C") - 1) % fold_count
    from unnest(v_query_ids) with ordinality i (id, number)
    order by i.number);
  -- For each fold, choose by the queries of all other folds. Only this choice is fitted, so their mean equals a nested
  -- cross-validation. In a tie, take the first configuration.
  v_places := array(
    select (select min(m.place) from unnest(f.means) with ordinality m (mean, place) where m.mean >= (select max(n)
      from unnest(f.means) n) - c_tie)::int
    from (
      select s.fold, array_agg(s.mean order by s.place) as means
      from (
        select f.fold, (u.number - 1) / v_query_count + 1 as place,
               avg(u.value) filter (where v_folds[(u.number - 1) % v_query_count + 1] <> f.fold) as mean
        from generate_series(1, fold_count) f (fold), unnest(v_values) with ordinality u (value, number)
        group by 1, 2
      ) s
      group by s.fold
    ) f
    order by f.fold);
  v_place := (select min(m.place) from unnest(v_means) with ordinality m (mean, place) where m.mean >= (select max(n)
    from unnest(v_means) n) - c_tie);
  v_baseline := v_values[1:v_query_count];
  v_held_out := array(
    select v_values[(v_places[f.fold] - 1) * v_query_count + f.number] from unnest(v_folds) with ordinality f (fold,
      number) order by f.number);
  v_differences := array(
    select h.value - h.baseline from unnest(v_held_out, v_baseline) with ordinality h (value, baseline, number)
      order by h.number);
  v_gain := (select avg(d) from unnest(v_differences) d);
  v_sure := braid_store.resampled_difference(v_differences, resample_count, seed);
  -- Each query also helps to choose for the other folds, so the differences depend on each other and their bootstrap
  -- interval is too narrow. Nadeau & Bengio 2003 give the correction for folds that share training data.
  v_stretch := sqrt(1 + fold_count / (fold_count - 1.0));
  v_lower := v_gain + v_stretch * (v_sure.lower_bound - v_gain);
  v_upper := v_gain + v_stretch * (v_sure.upper_bound - v_gain);
  v_p_value := braid_store.p_value_of_choice(
    v_values, v_folds, abs(v_gain),
    least(resample_count, greatest(200, c_most_signs / cardinality(v_values)))::int, seed);
  -- The width of the interval falls with the square root of the number of queries.
  if v_gain > c_tie and v_lower <= 0 then
    v_needed := least(ceil(v_query_count * ((v_gain - v_lower) / v_gain) ^ 2), 1e9);
  end if;

  return jsonb_build_object(
    'query_set', v_first -> 'query_set', 'judge', v_first -> 'judge', 'metric', choose_evaluated.metric,
    'query_count', v_query_count, 'fold_count', fold_count, 'resample_count', resample_count, 'seed', seed,
    'held_out', jsonb_build_object(
      'baseline', v_means[1], 'chosen', (select avg(h) from unnest(v_held_out) h), 'gain', v_gain,
      'interval', jsonb_build_array(v_lower, v_upper), 'p_value', v_p_value,
      'wins', (select count(*) from unnest(v_differences) d where d > c_tie),
      'losses', (select count(*) from unnest(v_differences) d where d < -c_tie),
      'ties', (select count(*) from unnest(v_differences) d where abs(d) <= c_tie),
      'query_count_needed', v_needed),
    'folds', (
      select jsonb_agg(jsonb_build_object('fold', f.fold, 'query_count', f.query_count, 'place', v_places[f.fold],
        'gain', f.gain) order by f.fold)
      from (
        select u.fold, count(*) as query_count, avg(u.difference) as gain
        from unnest(v_folds, v_differences) u (fold, difference)
        group by u.fold
      ) f),
    'chosen', v_tried[v_place]
              || jsonb_build_object('configuration', evaluations -> (v_place - 1) -> 'configuration',
                                    'ranking', evaluations -> (v_place - 1) #> '{configuration,options,ranking}',
                                    'search_arguments', (
                                      select coalesce(jsonb_object_agg(c.key, c.value) filter (where o.name is null),
                                        '{}')
                                             || case when count(o.name) > 0
                                                     then jsonb_build_object(
                                                            'options', jsonb_object_agg(c.key, c.value)
                                                                         filter (where o.name is not null))
                                                     else '{}' end
                                      from jsonb_each(braid_store.changed_settings(
                                             v_first -> 'configuration' #- '{options,ranking}',
                                             evaluations -> (v_place - 1) -> 'configuration' #- '{options,ranking}')) c
                                      left join braid_store.known_search_options() o on o.name = c.key)),
    'tried', to_jsonb(v_tried));
end
$$;

comment on function braid_calls.choose_evaluated(jsonb, text, int, int, int) is
  'Do the work of braid.choose_configuration.';
