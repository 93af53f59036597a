create or replace function braid_store.is_number(value jsonb, least_value float8, greatest_value float8)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when jsonb_typeof(is_number.value) = 'number' and pg_input_is_valid(is_number.value::text, 'float8')
              then is_number.value::text::float8 between is_number.least_value and is_number.greatest_value
              else false end;
$$;

comment on function braid_store.is_number(jsonb, float8, float8) is
  'Tell whether a JSON value is a number within bounds.';
