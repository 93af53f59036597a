-- role: administrator
-- example: braid.remove_trusted_role(role => 'postgres', kind => 'service')
-- page: guide/tenants.md#which-login-is-which-tenant
create or replace function braid.remove_trusted_role(role text, kind text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.set_trusted_role(remove_trusted_role.role, remove_trusted_role.kind, false);
$$;

comment on function braid.remove_trusted_role(text, text) is
  E'End the trust in a role that add_trusted_role began, for one kind.\n'
  'Return false if the role did not have this trust. Call it before you drop the role. Only administrators may call '
  'it.';
