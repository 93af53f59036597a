create or replace function braid_store.is_whole_number(value jsonb, least_value int, greatest_value int)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when braid_store.is_number(is_whole_number.value, is_whole_number.least_value,
                                         is_whole_number.greatest_value)
              then is_whole_number.value::text::float8 = floor(is_whole_number.value::text::float8)
              else false end;
$$;

comment on function braid_store.is_whole_number(jsonb, int, int) is
  'Tell whether a JSON value is a whole number within bounds.';
