-- role: writer
-- example: braid.upsert_embedded_documents(documents => '[]', embeddings => '{}', collection => 'small')
-- page: guide/documents.md#write
create or replace function braid.upsert_embedded_documents(
  documents jsonb,
  embeddings @vector@.vector[],
  collection text default 'default'
)
returns setof braid_store.write_result
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select *
  from braid_calls.write_documents(upsert_embedded_documents.documents, upsert_embedded_documents.collection,
                                   coalesce(upsert_embedded_documents.embeddings, '{}'));
$$;

comment on function braid.upsert_embedded_documents(jsonb, @vector@.vector[], text) is
  E'Store documents as upsert_documents does, with their embeddings in an array beside them, which drivers send in '
  'binary.\n'
  'documents: see upsert_documents; the key embedding of a document, or of one of its chunks, is the place of its '
  'vector in embeddings, from 1. Documents and chunks without that key wait in the outbox. embeddings: the vectors '
  'that the keys embedding name.\n'
  'The statuses and the limits are as in upsert_documents.';
