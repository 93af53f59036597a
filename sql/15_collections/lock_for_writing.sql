create or replace function braid_store.lock_for_writing(collection_id int, tenant_id int)
returns braid_store.collections
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections;
begin
  perform pg_advisory_xact_lock_shared(braid_store.lock_key(lock_for_writing.collection_id));
  -- Before the part's: whoever waits here for a step of a model migration keeps nobody's part locked.
  perform pg_advisory_xact_lock_shared(braid_store.spaces_lock_key(lock_for_writing.collection_id));
  perform pg_advisory_xact_lock_shared(
    braid_store.lock_key(lock_for_writing.collection_id, lock_for_writing.tenant_id));
  -- A drop, or a step of a model migration, may have finished while this waited.
  if braid.current_tenant_id() is distinct from lock_for_writing.tenant_id then
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
  'Keeps clears, drops, imports, rebuilds and steps of a model migration away until the transaction ends. Returns the collection as '
  'it is then.';
