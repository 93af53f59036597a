create or replace function braid_store.tenant_id_for_writing()
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid.current_tenant_id();
begin
  if v_tenant_id is null then
    perform braid_store.insert_requested_tenant();
    v_tenant_id := braid_store.require_tenant_id();
  end if;
  return v_tenant_id;
end
$$;

comment on function braid_store.tenant_id_for_writing() is
  'As require_tenant_id, but creates the tenant that the request''s verified claim names, where braid.set_access allows it.';
