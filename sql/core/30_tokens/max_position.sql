create or replace function braid_store.max_position()
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 4294967295;
end
$$;

comment on function braid_store.max_position() is
  'Return the highest position that a token can have in its text: the largest number that fits in position_bits bits.';
