-- role: definer
-- tenants: all
create or replace function braid_store.session_is_anonymous()
returns boolean
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Most logins are no gateways, and a new session plans the view pg_roles slowly.
  if not braid_store.session_is('gateway') then
    return false;
  end if;
  return not exists (select from pg_roles r where r.rolname = session_user and (r.rolsuper or r.rolbypassrls))
         and braid_store.request_tenant_key() is null;
end
$$;

comment on function braid_store.session_is_anonymous() is
  'Tell whether the session serves a gateway''s request that names no tenant. Such a request acts for the public '
  'tenant, if one is set.';
