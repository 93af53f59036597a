-- role: reader, definer
-- tenants: all
-- Readers may not select from tenants: errors of its unique key would tell them which tenants exist.
create or replace function braid_calls.session_tenant_key()
returns text
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select t.key from braid_store.tenants t where t.id = braid_store.tenant_id_by_trust();
$$;

comment on function braid_calls.session_tenant_key() is
  'Return the key of the tenant that this session acts for; null if there is none.';
