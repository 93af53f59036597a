-- role: writer
-- example: braid.delete_documents(external_ids => '{doc1,doc2}', collection => 'small')
-- page: guide/documents.md#delete
create or replace function braid.delete_documents(external_ids text[], collection text default 'default')
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_listed_documents(delete_documents.external_ids, delete_documents.collection);
$$;

comment on function braid.delete_documents(text[], text) is
  E'Delete documents of the tenant with their chunks and vectors, much faster than one by one.\n'
  'external_ids: the documents to delete, at most 100000; unknown ids are passed over.\n'
  'Return the number of documents deleted.';
