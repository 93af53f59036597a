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
  'Return the settings that parts have stored with a collection (collections.parts), replaced by other settings of '
  'the same names. A null setting leaves no key. A collection without settings of parts has null.';
