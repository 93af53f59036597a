create or replace function braid_store.position_bits()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 32;
end
$$;

comment on function braid_store.position_bits() is
  'Return the number of low bits of an occurrence that hold the position: an occurrence of a token is text_number << '
  'position_bits | position. Like every layout constant, it is a function without arguments, because the planner '
  'replaces the call by its value.';
