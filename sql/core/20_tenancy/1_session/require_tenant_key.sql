-- role: definer
create or replace function braid_store.require_tenant_key()
returns text
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform braid_store.require_tenant_id();
  return braid_calls.session_tenant_key();
end
$$;

comment on function braid_store.require_tenant_key() is
  'Return the key of the tenant that this session acts for. If there is none, raise 42501 with a hint that says what '
  'to do.';
