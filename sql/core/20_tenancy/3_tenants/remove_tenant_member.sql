-- role: administrator
-- example: braid.remove_tenant_member(tenant => 'default', member => 'nobody')
-- page: guide/tenants.md
create or replace function braid.remove_tenant_member(tenant text, member text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.set_tenant_member(remove_tenant_member.tenant, remove_tenant_member.member, false);
$$;

comment on function braid.remove_tenant_member(text, text) is
  E'End a membership that add_tenant_member made.\n'
  'tenant, member: as in add_tenant_member. Return false if there was none. Only administrators may call it.';
