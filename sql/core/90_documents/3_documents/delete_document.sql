-- role: writer
-- example: braid.delete_document(external_id => 'doc1', collection => 'small')
-- page: guide/documents.md#delete
create or replace function braid.delete_document(external_id text, collection text default 'default')
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_listed_documents(array[delete_document.external_id], delete_document.collection) > 0;
$$;

comment on function braid.delete_document(text, text) is
  E'Delete a document of the tenant with its chunks and vectors.\n'
  'Searches no longer find it once this commits. Return false if no document has that external_id. For many '
  'documents, use delete_documents.';
