create or replace function braid_store.session_is(kind text)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- USAGE: MEMBER would be true for a role's creator. A superuser is everything.
  return exists (
    select from braid_store.trusted_roles t
    where t.kind = session_is.kind and pg_has_role(session_user, to_regrole(quote_ident(t.role)), 'USAGE'));
end
$$;

comment on function braid_store.session_is(text) is
  'Whether the login is trusted in this database as a gateway, a service or an administrator.';
