create or replace function braid.current_tenant_id()
returns int
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return braid_store.session_tenant_id();
end
$$;

comment on function braid.current_tenant_id() is
  'The id of the tenant this session acts for, or null. Every policy compares tenant_id with it.';
