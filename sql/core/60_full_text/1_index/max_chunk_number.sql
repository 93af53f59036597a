create or replace function braid_store.max_chunk_number()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 1048575;
end
$$;

comment on function braid_store.max_chunk_number() is
  'Return the highest chunk number that a segment can have: the largest number that fits in chunk_number_bits bits.';
