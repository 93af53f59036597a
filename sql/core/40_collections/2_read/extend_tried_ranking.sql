create or replace function braid_store.extend_tried_ranking(collection braid_store.collections, old_parts jsonb)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_tried_ranking(braid_store.collections, jsonb) is
  'Extension point: let parts check their settings in a ranking that one search tries. Raise 42704 for a name that '
  'does not exist, unless old_parts has the same setting.';
