create or replace function braid_store.attribute_number(value numeric)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when abs(attribute_number.value) > 1.7976931348623157e308 then sign(attribute_number.value)::float8 * 'infinity'
    when abs(attribute_number.value) < 2.3e-308 then 0
    else attribute_number.value::float8
  end;
end
$$;

comment on function braid_store.attribute_number(numeric) is
  'Convert a JSON number to double precision without an error, and keep the order of numbers. A number that is too '
  'large becomes infinity; a number that is too small becomes 0.';
