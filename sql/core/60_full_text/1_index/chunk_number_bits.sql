create or replace function braid_store.chunk_number_bits()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 20;
end
$$;

comment on function braid_store.chunk_number_bits() is
  'Return the number of bits that a place in the index uses for the chunk number. A place is segment_number << '
  'chunk_number_bits | chunk_number. A segment numbers its chunks from 1. segment_number is the segment''s position, '
  'from 1, among the segments that a search reads.';
