create or replace function braid_store.extend_created_tenant_sync(tenant text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  update braid_store.row_changes c
  set retry_at = clock_timestamp()
  where c.id = any (array(
    select r.id
    from braid_store.row_changes r
    where r.retry_at > clock_timestamp()
      and (r.tenant = extend_created_tenant_sync.tenant
           or starts_with(r.last_error, format('tenant "%s" does not exist', left(extend_created_tenant_sync.tenant,
             255))))
    -- A worker that has locked one of the rows tries it anyway.
    for update skip locked));
end
$$;

comment on function braid_store.extend_created_tenant_sync(text) is
  'Make the next braid.apply_changes retry rows of synced tables that failed because this tenant did not exist.';
