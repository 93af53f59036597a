create or replace function braid_store.default_weight(fusion text, leg text)
returns float8
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when default_weight.fusion in ('rrf', 'max') then 1.0
              when default_weight.leg = 'full_text' then 0.6
              when default_weight.leg = 'sparse' then 0.3
              else 0.4 end::float8;
$$;

comment on function braid_store.default_weight(text, text) is
  'Return the default weight of a leg (full_text, semantic or sparse). It is 1 for rrf and max, which do not divide '
  'weights by their sum, and 0.6, 0.4 or 0.3 for other fusions.';
