create or replace function braid_store.extend_check_settings(collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_check_settings(braid_store.collections) is
  'Extension point: let parts check the settings that they have in a collection (collection.parts) before these are '
  'stored. Parts also keep the objects that the settings name from being removed until the transaction ends. Raise '
  '42704 for a name that does not exist.';
