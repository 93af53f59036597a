create or replace function braid_store.try_lock_part(collection_id int, tenant_id int)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if not (pg_try_advisory_xact_lock_shared(braid_store.lock_key(try_lock_part.collection_id))
          and pg_try_advisory_xact_lock_shared(
                braid_store.lock_key(try_lock_part.collection_id, try_lock_part.tenant_id))) then
    return false;
  end if;
  -- A statement of its own: a drop of the tenant is seen, or waits for the lock.
  return exists (select from braid_store.tenants t where t.id = try_lock_part.tenant_id);
end
$$;

comment on function braid_store.try_lock_part(int, int) is
  'For maintenance: keeps clears, drops and rebuilds of a tenant''s part of a collection away until the transaction ends. '
  'False, without waiting, if one is under way, or the tenant was dropped.';
