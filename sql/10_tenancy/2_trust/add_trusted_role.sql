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
  'Makes a login, or every login that inherits a group role, a gateway, a service or an administrator of this database, '
  'and of no other. False if it was one already. For administrators.';
