create or replace function braid.drop_tenant(tenant text, confirm_tenant text default null)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.remove_tenant(drop_tenant.tenant, drop_tenant.confirm_tenant);
$$;

comment on function braid.drop_tenant(text, text) is
  'Deletes a tenant and all that it stored in every collection; its key is to be given twice. Waits for its writers. It is '
  'gone at once, and its key free; maintain() deletes the rows. False if there is none of that key. For administrators.';
