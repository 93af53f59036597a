-- role: service
-- tenants: all
-- Only the owner may grant this function to services.
create or replace function braid_store.create_row_tenant(row_tenant text)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int;
begin
  insert into braid_store.tenants (key)
  select create_row_tenant.row_tenant
  from braid_store.access_settings s
  where s.create_tenants and octet_length(create_row_tenant.row_tenant) between 1 and 255
  on conflict (key) do nothing
  returning id into v_tenant_id;
  if found then
    perform braid_store.insert_tenant_locks(v_tenant_id);
  end if;
end
$$;

comment on function braid_store.create_row_tenant(text) is
  'Create the tenant that a row of a synced table names, if access_settings.create_tenants is true.';
