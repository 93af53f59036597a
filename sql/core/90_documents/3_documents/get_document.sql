-- role: reader
-- example: braid.get_document(external_id => 'doc1', collection => 'small')
-- page: guide/documents.md#read
create or replace function braid.get_document(
  external_id text,
  collection text default 'default',
  first_chunk int default 0,
  chunk_count int default null
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_document(get_document.external_id, get_document.collection, get_document.first_chunk,
                                   get_document.chunk_count);
$$;

comment on function braid.get_document(text, text, int, int) is
  E'Return a document of the tenant with its chunks in order, as one JSON object; null if no document has that '
  'external_id.\n'
  'first_chunk: the chunk_index of the first chunk to return, 0 by default. chunk_count: how many chunks are '
  'returned; null, the default, returns all. To read around a passage, begin before its chunk_index.\n'
  'Its keys are document_id, external_id, title, source_uri, metadata, occurred_at, created_at, updated_at, chunks and '
  'chunk_count, the number of chunks that the document has. Each chunk has chunk_id, chunk_index, content, '
  'token_count, speaker, category, importance, occurred_at, language and metadata.';
