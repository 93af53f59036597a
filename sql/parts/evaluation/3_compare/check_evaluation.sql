create or replace function braid_store.check_evaluation(evaluation jsonb, argument_name text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_queries constant int := 20000;
  v_problem text;
begin
  v_problem := case
    when jsonb_typeof(evaluation) is distinct from 'object' then 'is ' || coalesce('a JSON '
      || jsonb_typeof(evaluation), 'null')
    when jsonb_typeof(evaluation -> 'query_set') is distinct from 'string'
         or jsonb_typeof(evaluation -> 'metrics') is distinct from 'object'
         or jsonb_typeof(evaluation -> 'queries') is distinct from 'array' then 'has no query_set, metrics or queries'
    when jsonb_array_length(evaluation -> 'queries') > c_max_queries then format('has more than %s queries',
      c_max_queries)
    when exists (
      select from jsonb_array_elements(evaluation -> 'queries') q
      where (jsonb_typeof(q.value -> 'query_id') = 'string'
        and jsonb_typeof(q.value -> 'metrics') = 'object') is not true
    ) then 'has a query without query_id or metrics'
    when exists (
      select from jsonb_array_elements(evaluation -> 'queries') q
      cross join jsonb_object_keys(evaluation -> 'metrics') m
      where (braid_store.is_number(q.value -> 'metrics' -> m, 0, 1)) is not true
    ) then 'has a query without one of its metrics, a number from 0 to 1'
    when exists (
      select from jsonb_array_elements(evaluation -> 'queries') q group by q.value -> 'query_id' having count(*) > 1
    ) then 'has a query twice'
  end;
  if v_problem is not null then
    raise exception '% %', argument_name, v_problem using errcode = '22023',
      hint = 'Give an unchanged result of braid.evaluate. GET turns JSON into a string: use POST.';
  end if;
end
$$;

comment on function braid_store.check_evaluation(jsonb, text) is
  'Check that a value can be a result of braid.evaluate; raise 22023 if it cannot. argument_name: the name of the '
  'argument in messages.';
