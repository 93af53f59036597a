-- role: administrator
-- example: braid.drop_tenant(tenant => 'nobody', confirm_tenant => 'nobody')
-- page: guide/tenants.md
create or replace function braid.drop_tenant(tenant text, confirm_tenant text default null)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.remove_tenant(drop_tenant.tenant, drop_tenant.confirm_tenant);
$$;

comment on function braid.drop_tenant(text, text) is
  E'Delete a tenant and all that it stored in every collection.\n'
  'This cannot be undone. Give its key twice, as tenant and as confirm_tenant. The call waits a few seconds at most '
  'for the tenant''s writers, then raises 55P03. The tenant is gone and its key free as soon as the call commits; '
  'maintain() deletes the rows later. Return false if no tenant has that key. Only administrators may call it.';
