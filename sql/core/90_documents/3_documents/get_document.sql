-- role: reader
-- example: braid.get_document(external_id => 'doc1', collection => 'small')
-- page: guide/documents.md#read
create or replace function braid.get_document(external_id text, collection text default 'default')
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_document(get_document.external_id, get_document.collection);
$$;

comment on function braid.get_document(text, text) is
  E'Return a document of the tenant with its chunks in order, as one JSON object; null if no document has that '
  'external_id.\n'
  'Its keys are document_id, external_id, title, source_uri, metadata, occurred_at, created_at, updated_at and '
  'chunks. Each chunk has chunk_id, chunk_index, content, token_count, speaker, category, importance, occurred_at, '
  'language and metadata.';
