-- role: administrator
-- example: braid.add_tenant_member(tenant => 'default', member => 'postgres')
-- page: guide/tenants.md
create or replace function braid.add_tenant_member(tenant text, member text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.set_tenant_member(add_tenant_member.tenant, add_tenant_member.member, true);
$$;

comment on function braid.add_tenant_member(text, text) is
  E'Let a login act for a tenant, or every login that inherits a group role.\n'
  'member: the role''s name. Return false if the role is a member already. Only administrators may call it.';
