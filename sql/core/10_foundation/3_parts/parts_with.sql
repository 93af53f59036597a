create or replace function braid_store.parts_with(parts jsonb, settings jsonb)
returns jsonb
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select nullif(jsonb_strip_nulls(coalesce(parts_with.parts, '{}') || parts_with.settings), '{}');
$$;

comment on function braid_store.parts_with(jsonb, jsonb) is
  'Return what parts have stored with a collection (collections.parts), with other settings in place of those of the same names. '
  'A setting that is null leaves no key, and a collection without any has null.';
