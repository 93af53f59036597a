create or replace function braid_store.require_tenant_id()
returns int
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_calls.session_tenant_id();
  v_requested text := nullif(current_setting('braid.tenant', true), '');
begin
  if row_security_active('braid_store.documents') and v_tenant_id is not null then
    return v_tenant_id;
  end if;
  -- After a restore, the definer functions that call this one may belong to a role that row-level security does not
  -- bind.
  if not row_security_active('braid_store.documents') then
    raise exception 'pgbraid''s functions belong to %, who sees the rows of all tenants', current_user
      using errcode = '42501', hint = 'This database was restored from a dump: run pgbraid init in it.';
  end if;
  if v_requested is not null then
    raise exception 'tenant "%" does not exist, or login "%" may not act for it', v_requested, session_user
      using errcode = '42501',
            hint = 'Set braid.tenant to one of your tenants, or have an administrator call '
                   'braid.create_tenant or braid.add_tenant_member.';
  else
    raise exception 'no tenant is chosen for login "%"', session_user
      using errcode = '42501',
            hint = 'Choose a tenant with set braid.tenant = ''...'', or have an administrator call '
                   'braid.add_tenant_member. Through PostgREST, send a token whose claim names an existing tenant; '
                   'service_role sends the tenant''s key in the header x-braid-tenant. braid.set_access changes '
                   'these names and roles; with create_tenants, the first write creates the tenant that the claim '
                   'names.';
  end if;
end
$$;

comment on function braid_store.require_tenant_id() is
  'Return the tenant that this session acts for. If there is none, raise 42501 with a hint that says what to do. '
  'Definer functions call it.';
