create or replace function braid_store.impact_bits()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 11;
end
$$;

comment on function braid_store.impact_bits() is
  'Return the number of bits that an element of a posting list uses for the impact. An element is chunk_number << '
  'impact_bits | impact.';
