create or replace function braid.clear_collection(collection text default 'default')
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.remove_documents(clear_collection.collection);
$$;

comment on function braid.clear_collection(text) is
  'Deletes all that the tenant stored in a collection, while its writers wait. Returns the number of documents.';
