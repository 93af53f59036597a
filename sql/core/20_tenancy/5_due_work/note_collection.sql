create or replace function braid_store.note_collection(collection_id int)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Always insert a new row: maintenance may be halfway through an older one.
  insert into braid_store.due_collections (collection_id) values (note_collection.collection_id);
$$;

comment on function braid_store.note_collection(int) is
  'Note that maintenance must visit every tenant''s part of a collection, because the collection''s definition has '
  'changed.';
