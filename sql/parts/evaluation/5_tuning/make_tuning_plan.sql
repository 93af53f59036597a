-- role: writer, definer
create or replace function braid_calls.make_tuning_plan(
  query_set text,
  search_space jsonb,
  budget int,
  configuration jsonb,
  judge text,
  seed int
)
returns table (place int, changes jsonb, candidate jsonb, combination_count numeric)
language plpgsql
stable
parallel unsafe
security definer
rows 50
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_most_configurations constant int := 500;
  c_least_queries constant int := 20;
  -- With fewer queries, choosing among many settings is chance: without a search space, only the weights and smoothing
  -- are tried.
  c_many_queries constant int := 60;
  c_most_draws constant int := 20;
  v_tenant_id int := braid_store.tenant_id_of_user();
  v_query_set braid_store.query_sets := braid_store.find_query_set(v_tenant_id, make_tuning_plan.query_set);
  v_given jsonb := configuration;
  v_query_count int;
  v_collection braid_store.collections;
  v_values jsonb;
  v_changed braid_store.collections;
  v_seen jsonb[] := '{}';
  v_effective jsonb;
begin
  perform braid_store.check_configuration(v_given);
  v_collection := braid_store.find_collection(coalesce(v_given ->> 'collection', 'default'));
  if v_given #> '{options,ranking}' <> 'null' then
    raise exception 'configuration has the option ranking'
      using errcode = '22023', hint = 'Leave out the option ranking: tuning compares other rankings with the '
                                      'collection''s own.';
  elsif (make_tuning_plan.budget between 2 and c_most_configurations) is not true then
    raise exception 'budget is %', coalesce(make_tuning_plan.budget::text, 'null')
      using errcode = '22023',
        hint = format('Use 2 to %s: the number of configurations to evaluate, including the present one.',
          c_most_configurations);
  elsif make_tuning_plan.seed is null then
    raise exception 'seed is null' using errcode = '22023', hint = 'Give a whole number.';
  end if;
  if make_tuning_plan.search_space is not null then
    perform braid_store.check_search_space(make_tuning_plan.search_space, v_given, v_collection.fusion);
  end if;
  v_values := braid_store.tuning_values(make_tuning_plan.search_space, v_given, braid_store.ranking_of(v_collection));
  if v_values = '{}' then
    raise exception 'search_space has no value that the ranking of collection "%" does not have', v_collection.name
      using errcode = '22023', hint = 'Give values that differ from the collection''s ranking.';
  end if;
  select count(*) into v_query_count
  from braid_store.queries q
  where q.tenant_id = v_tenant_id and q.query_set = v_query_set.name
    and exists (select from braid_store.judged_grades(v_tenant_id, v_query_set.name, q.query_id,
      make_tuning_plan.judge) g
                where g.grade > 0);
  if v_query_count < c_least_queries then
    raise exception 'query set "%" has % queries for which something is judged relevant%, and tuning needs %',
      v_query_set.name,
                    v_query_count, coalesce(' by judge "' || left(make_tuning_plan.judge, 255) || '"', ''),
                      c_least_queries
      using errcode = '22023',
            hint = format('Judge results of %s more queries: with fewer, the choice is chance.',
              c_least_queries - v_query_count);
  end if;
  if make_tuning_plan.search_space is null and v_query_count < c_many_queries
     and v_values ? 'full_text_weight' then
    select jsonb_object_agg(v.key, v.value) into v_values
    from jsonb_each(v_values) v
    where v.key in ('full_text_weight', 'smoothing');
  end if;

  combination_count := (
    select round(exp(sum(ln((jsonb_array_length(v.value) + 1)::numeric)))) from jsonb_each(v_values) v);
  place := 0;
  for v_number in 0 .. case when combination_count <= make_tuning_plan.budget then combination_count::int - 1
                            else c_most_draws * make_tuning_plan.budget end loop
    exit when place = make_tuning_plan.budget;
    changes := case when v_number = 0 then '{}'
                    when combination_count <= make_tuning_plan.budget then braid_store.nth_changes(v_values, v_number)
                    else braid_store.draw_changes(v_values, v_number, make_tuning_plan.seed) end;
    v_changed := v_collection;
    v_effective := changes - '{candidate_count,ef_search,boosts}'::text[];
    -- A ranking needs at least one leg.
    continue when coalesce(v_effective -> 'full_text_weight', to_jsonb(v_collection.full_text_weight)) = '0'
                  and coalesce(v_effective -> 'semantic_weight', to_jsonb(v_collection.semantic_weight)) = '0';
    if v_effective <> '{}' then
      v_changed := braid_store.try_ranking(v_collection, v_effective);
    end if;
    v_effective := braid_store.effective_ranking(braid_store.ranking_of(v_changed), v_given)
                   || (changes - array(select jsonb_object_keys(v_effective)));
    continue when v_effective = any (v_seen);
    v_seen := v_seen || v_effective;
    place := place + 1;
    candidate :=
      v_given || jsonb_strip_nulls(jsonb_build_object('candidate_count', changes -> 'candidate_count'))
      || jsonb_build_object(
           'options',
           coalesce(nullif(v_given -> 'options', 'null'), '{}')
           || jsonb_strip_nulls(jsonb_build_object('ef_search', changes -> 'ef_search', 'boosts', changes -> 'boosts'))
           || jsonb_build_object('ranking', braid_store.ranking_of(v_changed)));
    return next;
  end loop;
  if place < 2 then
    raise exception 'search_space has no combination that ranks differently from collection "%"', v_collection.name
      using errcode = '22023',
        hint = 'Check whether a setting depends on another one: rrf_k, for example, counts only with the fusion rrf.';
  end if;
end
$$;

comment on function braid_calls.make_tuning_plan(text, jsonb, int, jsonb, text, int) is
  'Do the work of braid.plan_tuning.';
