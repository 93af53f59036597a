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
    -- A worker that is at one of them tries it anyhow.
    for update skip locked));
end
$$;

comment on function braid_store.extend_created_tenant_sync(text) is
  'Have rows of synced tables that failed since there was no such tenant tried again by the next braid.apply_changes.';
