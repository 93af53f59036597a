-- role: reader, definer
-- tenants: all
-- The tenant must be found before a policy can be evaluated.
create or replace function braid_calls.session_tenant_id()
returns int
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- This shortcut matters: every policy in a search calls it, mostly for a tenant that the login itself is a member of.
  -- In that case, any login but a gateway gets the tenant that it asks for.
  return coalesce(
    (select t.id
     from braid_store.tenants t,
          lateral (
            select from braid_store.tenant_members m where m.tenant_id = t.id and m.member = session_user::text
            offset 0
          ) m
     where t.key = nullif(current_setting('braid.tenant', true), '')
       and not has_function_privilege(session_user, 'braid_store.gateway_mark()'::regprocedure, 'execute')),
    braid_store.tenant_id_by_trust());
end
$$;

comment on function braid_calls.session_tenant_id() is
  'Return the tenant that this session acts for; null if there is none. The login (session_user) decides how the '
  'tenant is named. Gateways name it by the request''s verified claims, services by braid.tenant. Superusers and '
  'roles with BYPASSRLS name it by braid.tenant, or else by the request. For all others, and for superusers who name '
  'none, memberships count, and braid.tenant chooses among them.';
