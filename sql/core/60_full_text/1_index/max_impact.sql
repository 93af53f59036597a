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
  'The highest impact: the largest number of impact_bits bits. The lowest is 1. The highest would be that of a lexeme '
  'that a chunk contains infinitely often.';
