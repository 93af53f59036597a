create or replace function braid_store.lock_for_writing(collection_id int, tenant_id int)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_advisory_xact_lock_shared(braid_store.lock_key(lock_for_writing.collection_id));
  perform pg_advisory_xact_lock_shared(
    braid_store.lock_key(lock_for_writing.collection_id, lock_for_writing.tenant_id));
  -- A drop may have finished while this waited.
  if not exists (select from braid_store.collections c where c.id = lock_for_writing.collection_id) then
    raise exception 'the collection was dropped meanwhile'
      using errcode = '42704', hint = 'Create it again with braid.create_collection.';
  end if;
end
$$;

comment on function braid_store.lock_for_writing(int, int) is
  'Keeps clears, drops and rebuilds away until the transaction ends.';
