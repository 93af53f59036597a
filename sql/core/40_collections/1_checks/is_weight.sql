create or replace function braid_store.is_weight(weight float8)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select is_weight.weight = 0 or is_weight.weight between 1e-9 and 1e9;
$$;

comment on function braid_store.is_weight(float8) is
  'Tell whether a number can be a weight. Outside these bounds, a product of scores could exceed the range of float8.';
