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
  return braid_store.session_tenant_key();
end
$$;

comment on function braid_store.require_tenant_key() is
  'The key of the tenant this session acts for; an error that says what to do if there is none.';
