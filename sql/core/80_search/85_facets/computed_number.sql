create or replace function braid_store.computed_number(number numeric)
returns numeric
language plpgsql
immutable
strict
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
begin
  return trim_scale(case when number = trunc(number) or abs(number) not between 1e-300 and 1e300 then number
                         else number::float8::text::numeric end);
end
$$;

comment on function braid_store.computed_number(numeric) is
  'Return a number that was computed with the digits that a float8 keeps, because clients read more of them as another '
  'type or as another number. A whole number keeps all of its digits.';
