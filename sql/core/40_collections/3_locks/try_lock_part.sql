create or replace function braid_store.try_lock_part(collection_id int, tenant_id int)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  execute format('lock table %s in row share mode nowait', braid_store.collection_lock(try_lock_part.collection_id));
  perform
  from braid_locks.tenant_locks l
  where l.tenant_id = try_lock_part.tenant_id and l.slot = braid_store.lock_slot(try_lock_part.collection_id)
    and l.kind = 'writing'
  for key share skip locked;
  if not found then
    return false;
  end if;
  -- A separate statement has a newer snapshot: it sees a drop of the tenant that has finished, and a later drop waits
  -- for the lock.
  return exists (select from braid_store.tenants t where t.id = try_lock_part.tenant_id);
exception when lock_not_available then
  return false;
end
$$;

comment on function braid_store.try_lock_part(int, int) is
  'Keep clears, drops and rebuilds of a tenant''s part of a collection out until the transaction ends. Return false '
  'at once if one of them is running, or if the tenant was dropped. Maintenance uses it.';
