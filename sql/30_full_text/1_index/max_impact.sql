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
  'The impact of a lexeme that a chunk has without end: what impact_bits bits hold. 1 is the least.';
