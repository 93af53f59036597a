create or replace function braid_store.lock_definition(collection braid_store.collections)
returns braid_store.collections
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_collection braid_store.collections;
begin
  select c.* into v_collection from braid_store.collections c where c.id = collection.id for update;
  -- A missing row means that the collection was dropped meanwhile, and perhaps created again.
  return case when found then v_collection
              else braid_store.lock_definition(braid_store.find_collection(collection.name)) end;
exception when lock_not_available then
  perform braid_store.raise_locked(
    format('the definition of collection "%s"', collection.name),
    braid_store.lock_holders('{braid_store.collections}', '{RowShareLock,RowExclusiveLock}'));
end
$$;

comment on function braid_store.lock_definition(braid_store.collections) is
  'Lock a collection''s row against other changes of its definition, and return it as it is under the lock. Raise '
  '55P03 if another change does not end in time, and 42704 if the collection was dropped.';
