create or replace function braid_store.lock_for_writing(collection_id int, tenant_id int)
returns braid_store.collections
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_slot int := lock_for_writing.collection_id % 8;
  v_turn xid;
  v_collection braid_store.collections;
begin
  -- Lock the collection before the part, so that a writer that waits here for a step of a model change holds no lock of
  -- a part.
  execute format('lock table braid_locks.collection_%s in row exclusive mode', lock_for_writing.collection_id % 64);
  select l.xmax into v_turn
  from braid_locks.tenant_locks l
  where l.tenant_id = lock_for_writing.tenant_id and l.slot = v_slot and l.kind = 'turn';
  if v_turn <> 0 then
    perform braid_store.await_turn(v_turn, lock_for_writing.tenant_id, v_slot);
  end if;
  perform
  from braid_locks.tenant_locks l
  where l.tenant_id = lock_for_writing.tenant_id and l.slot = v_slot and l.kind = 'writing'
  for key share;
  -- A drop or a step of a model change may have finished during the wait.
  if not found or braid.current_tenant_id() is distinct from lock_for_writing.tenant_id then
    raise exception 'the tenant was dropped meanwhile'
      using errcode = '42501', hint = 'Create it again with braid.create_tenant.';
  end if;
  select c.* into v_collection from braid_store.collections c where c.id = lock_for_writing.collection_id;
  if not found then
    raise exception 'the collection was dropped meanwhile'
      using errcode = '42704', hint = 'Create it again with braid.create_collection.';
  end if;
  return v_collection;
end
$$;

comment on function braid_store.lock_for_writing(int, int) is
  'Let this transaction write to a tenant''s part of a collection. Until it ends, clears, drops, imports, rebuilds '
  'and steps of a model change wait; other writers do not. Return the collection as it is under the lock. Raise '
  '42501 if the tenant was dropped meanwhile, and 42704 if the collection was.';
