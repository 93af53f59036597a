create or replace function braid_store.aggregation_error(name text, field text, value jsonb, hint text)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'aggregations: % of % is %', aggregation_error.field, to_json(left(aggregation_error.name, 100)),
                  coalesce(left(aggregation_error.value::text, 100), 'missing')
    using errcode = '22023', hint = aggregation_error.hint;
end
$$;

comment on function braid_store.aggregation_error(text, text, jsonb, text) is
  'Raise 22023 for an invalid value in an aggregation; the message names the aggregation and the field.';
