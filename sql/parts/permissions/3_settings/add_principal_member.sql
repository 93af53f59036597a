-- role: administrator
-- example: braid.add_principal_member(tenant => 'default', principal => 'group:sales', member => 'user:ana')
-- page: guide/permissions.md
create or replace function braid.add_principal_member(tenant text, principal text, member text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.set_principal_member(add_principal_member.tenant, add_principal_member.principal,
                                          add_principal_member.member, true);
$$;

comment on function braid.add_principal_member(text, text, text) is
  E'Put a principal into a group, or let a login read for a principal.\n'
  'principal: the group, such as group:sales; * reads all documents of the tenant. member: a user, a group, or login: '
  'with the name of a login or of a role that logins inherit. Return false if it is in the group already. Only '
  'administrators may call it.';
