create or replace function braid_store.position_bits()
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select 32;
$$;

comment on function braid_store.position_bits() is
  'An occurrence of a token is text_number << position_bits | position. A function without arguments, as of every layout: '
  'the planner puts the number in its place.';
