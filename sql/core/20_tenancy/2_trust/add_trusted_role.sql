-- role: administrator
-- example: braid.add_trusted_role(role => 'postgres', kind => 'service')
-- page: guide/tenants.md#which-login-is-which-tenant
create or replace function braid.add_trusted_role(role text, kind text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.set_trusted_role(add_trusted_role.role, add_trusted_role.kind, true);
$$;

comment on function braid.add_trusted_role(text, text) is
  E'Trust a role in this database, and in no other.\n'
  'role: a login, or a group role whose members inherit it. kind: gateway, service, administrator or monitor. A '
  'gateway, such as PostgREST, verifies tokens, and so names the tenant of each request. A service, such as an '
  'embedding worker, works for every tenant and chooses one by braid.tenant. An administrator may call the functions '
  'marked "For administrators". A monitor reads the views of sizes, waiting work and indexes of all tenants and '
  'calls health, but sees no stored content. pg_monitor makes all of its members monitors. Return false if the role '
  'had this trust already. Only administrators may call it.';
