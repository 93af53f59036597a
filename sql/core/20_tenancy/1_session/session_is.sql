create or replace function braid_store.session_is(kind text)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- 'MEMBER' would also be true for the creator of a role. For a superuser, 'USAGE' is true for every role.
  return exists (
    select from braid_store.trusted_roles t
    where t.kind = session_is.kind and pg_has_role(session_user, to_regrole(quote_ident(t.role)), 'USAGE'));
end
$$;

comment on function braid_store.session_is(text) is
  'Tell whether the login is trusted in this database as a gateway, a service, an administrator or a monitor (kind).';
