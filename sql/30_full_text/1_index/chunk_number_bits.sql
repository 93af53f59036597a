create or replace function braid_store.chunk_number_bits()
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select 20;
$$;

comment on function braid_store.chunk_number_bits() is
  'A place in the index is segment_number << chunk_number_bits | chunk_number. A segment numbers its chunks from 1; the '
  'number of a segment is its place among those that a search reads.';
