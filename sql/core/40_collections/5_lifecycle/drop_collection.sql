-- role: administrator
-- example: braid.drop_collection(collection => 'another')
-- page: guide/collections.md
create or replace function braid.drop_collection(collection text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.remove_collection(drop_collection.collection);
$$;

comment on function braid.drop_collection(text) is
  E'Remove a collection with all that every tenant stored in it.\n'
  'This cannot be undone. The collection is gone at once, and maintain() frees its space. Return false if no '
  'collection has this name. To empty only one tenant''s part, use clear_collection. Only administrators may call it.';
