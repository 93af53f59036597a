-- Cross-tenant: owned by the owner role. Readers cannot select from tenants, whose unique key would answer which exist.
create or replace function braid_store.session_tenant_key()
returns text
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select t.key from braid_store.tenants t where t.id = braid_store.session_tenant_id();
$$;

comment on function braid_store.session_tenant_key() is
  'The key of the tenant this session acts for, or null.';
