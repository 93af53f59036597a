create or replace function braid_store.block_bits()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 13;
end
$$;

comment on function braid_store.block_bits() is
  'Return the number of low bits of a chunk number that give its position within a block of a long posting list. The '
  'block number, from 0, is (chunk_number - 1) >> block_bits.';
