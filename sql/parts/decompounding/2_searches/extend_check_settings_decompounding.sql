create or replace function braid_store.extend_check_settings_decompounding(collection braid_store.collections)
returns void
language plpgsql
immutable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  perform braid_store.check_decompounding(extend_check_settings_decompounding.collection);
end
$$;

comment on function braid_store.extend_check_settings_decompounding(braid_store.collections) is
  'Check the setting decompounding before it is stored.';
