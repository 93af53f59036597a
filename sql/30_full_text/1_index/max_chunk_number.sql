create or replace function braid_store.max_chunk_number()
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select 1048575;
$$;

comment on function braid_store.max_chunk_number() is
  'The highest chunk number that a segment can have: the largest number of chunk_number_bits bits.';
