create or replace function braid_store.find_collection(collection text)
returns braid_store.collections
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections;
begin
  select c.* into v_collection from braid_store.collections c where c.name = find_collection.collection;
  if not found then
    raise exception 'collection "%" does not exist', left(find_collection.collection, 255)
      using errcode = '42704',
            hint = format('See the names: select name from braid.collections; or create it: select %s(%L);',
              'braid.create_collection',
                          left(find_collection.collection, 255));
  end if;
  return v_collection;
end
$$;

comment on function braid_store.find_collection(text) is
  'Return the definition of the collection with this name. Raise 42704 if there is none.';
