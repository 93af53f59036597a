create or replace function braid_store.tenant_id_for_writing()
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if braid.current_tenant_id() is null then
    perform braid_store.insert_requested_tenant();
  end if;
  return braid_store.require_tenant_id();
end
$$;

comment on function braid_store.tenant_id_for_writing() is
  'As require_tenant_id, but creates the tenant that the request''s verified claim names, where braid.set_access allows it.';
