-- role: administrator
-- example: braid.remove_principal_member(tenant => 'default', principal => 'group:sales', member => 'user:ana')
-- page: guide/permissions.md
create or replace function braid.remove_principal_member(tenant text, principal text, member text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.set_principal_member(remove_principal_member.tenant, remove_principal_member.principal,
                                          remove_principal_member.member, false);
$$;

comment on function braid.remove_principal_member(text, text, text) is
  E'Take a principal out of a group; the next statement of its sessions knows it.\n'
  'principal: the group, such as group:sales; * reads all documents of the tenant. member: a user, a group, or login: '
  'with the name of a login or of a role that logins inherit. Return false if it is not in the group. Only '
  'administrators may call it.';
