create or replace function braid_store.block_size()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 8192;
end
$$;

comment on function braid_store.block_size() is
  'Return the number of chunk numbers that a block of a long posting list covers: 2 to the power of block_bits.';
