-- role: reader, definer
-- tenants: all
create or replace function braid_calls.login_is_known()
returns boolean
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return exists (
    select
    from (select t.role from braid_store.trusted_roles t
          union all
          select m.member from braid_store.tenant_members m) k (role)
    where pg_has_role(session_user, to_regrole(quote_ident(k.role)), 'USAGE'))
    or pg_has_role(session_user, '@owner@', 'USAGE')
    or (select r.rolbypassrls from pg_roles r where r.rolname = session_user);
end
$$;

comment on function braid_calls.login_is_known() is
  'Tell whether the login is a member of a tenant of this database, is trusted in it, or sees all rows anyway. Other '
  'logins do not see the names of collections.';
