-- role: administrator
-- tenants: all
create or replace function braid_store.remove_collection(collection text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections;
  v_locked braid_store.collections;
begin
  select c.* into v_collection from braid_store.collections c where c.name = remove_collection.collection;
  if not found then
    return false;
  end if;
  -- Lock the row first: if another session holds it, this call must not make writers wait behind the lock below.
  begin
    v_locked := braid_store.lock_definition(v_collection);
  exception when undefined_object then
    null;
  end;
  if v_locked.id is distinct from v_collection.id then
    return false; -- Another session has dropped it meanwhile.
  end if;
  perform braid_store.lock_collection(v_collection, 'exclusive');

  -- From here on, no session finds the collection. maintain() deletes its contents in batches.
  delete from braid_store.collections c where c.id = v_collection.id;
  insert into braid_store.dropped_collections (id) values (v_collection.id);
  return true;
end
$$;

comment on function braid_store.remove_collection(text) is
  'Do the work of braid.drop_collection. Keep writers and maintenance out of the collection until the transaction '
  'ends.';
