create or replace function braid_store.extend_created_tenant(tenant text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_created_tenant(text) is
  'Extension point: let parts react to the creation of a tenant. tenant: its key.';
