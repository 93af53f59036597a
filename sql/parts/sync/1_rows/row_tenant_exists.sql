-- role: service
-- tenants: all
create or replace function braid_store.row_tenant_exists(row_tenant text)
returns boolean
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (select from braid_store.tenants t where t.key = row_tenant_exists.row_tenant);
end
$$;

comment on function braid_store.row_tenant_exists(text) is
  'Tell whether there is a tenant of this name, which a row of a synced table names.';
