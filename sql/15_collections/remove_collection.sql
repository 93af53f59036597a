-- Cross-tenant: owned by the owner role.
create or replace function braid_store.remove_collection(collection text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection_id int;
begin
  select c.id into v_collection_id from braid_store.collections c where c.name = remove_collection.collection;
  if not found then
    return false;
  end if;
  perform pg_advisory_xact_lock(braid_store.lock_key(v_collection_id));

  -- Nobody finds it any more. What is in it goes in batches, by maintain().
  delete from braid_store.collections c where c.id = v_collection_id;
  if not found then
    return false;
  end if;
  insert into braid_store.dropped_collections (id) values (v_collection_id);
  return true;
end
$$;

comment on function braid_store.remove_collection(text) is
  'Does the work of braid.drop_collection, while no writer is at work in the collection.';
