create or replace function braid_store.note_collection(collection_id int)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- A row of its own, whatever there is: one of before may have been gone through half.
  insert into braid_store.due_collections (collection_id) values (note_collection.collection_id);
$$;

comment on function braid_store.note_collection(int) is
  'Notes that maintenance is to visit every tenant''s part of a collection, whose definition has changed.';
