create or replace function braid_store.max_impact()
returns int
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return 2047;
end
$$;

comment on function braid_store.max_impact() is
  'Return the highest impact: the largest number that fits in impact_bits bits. The lowest impact is 1. Impacts '
  'approach the highest one as a lexeme''s frequency in a chunk grows.';
