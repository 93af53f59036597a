-- role: administrator
-- example: braid.create_tenant(tenant => 'gamma')
-- page: guide/tenants.md
create or replace function braid.create_tenant(tenant text)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.insert_tenant(create_tenant.tenant);
$$;

comment on function braid.create_tenant(text) is
  E'Create a tenant and make the calling login a member of it.\n'
  'tenant: your own key for it, 1 to 255 bytes, such as an organisation id, a slug or a uuid. Return the tenant''s '
  'id, also if the tenant exists already. Only administrators may call it.';
