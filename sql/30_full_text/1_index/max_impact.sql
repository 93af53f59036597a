create or replace function braid_store.max_impact()
returns int
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select 2047;
$$;

comment on function braid_store.max_impact() is
  'The highest impact: the largest number of impact_bits bits. The lowest is 1. The highest would be that of a lexeme '
  'that a chunk contains infinitely often.';
