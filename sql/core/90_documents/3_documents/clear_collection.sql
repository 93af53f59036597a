-- role: writer
-- example: braid.clear_collection(collection => 'small')
-- page: guide/documents.md#delete
create or replace function braid.clear_collection(collection text default 'default')
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_documents(clear_collection.collection);
$$;

comment on function braid.clear_collection(text) is
  E'Delete all documents that the tenant stored in a collection, with their chunks and vectors.\n'
  'This cannot be undone. The collection itself and other tenants'' documents stay. The tenant''s writers to the '
  'collection wait until this transaction ends. Return the number of documents deleted.';
