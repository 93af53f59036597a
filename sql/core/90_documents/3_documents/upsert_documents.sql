-- role: writer
-- example: braid.upsert_documents(documents => '[]', collection => 'small')
-- page: guide/documents.md#write
create or replace function braid.upsert_documents(documents jsonb, collection text default 'default')
returns setof braid_store.write_result
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.write_documents(upsert_documents.documents, upsert_documents.collection);
$$;

comment on function braid.upsert_documents(jsonb, text) is
  E'Store documents under your own ids, all in one transaction; a document with the same id is replaced.\n'
  'documents: a JSON array that holds at most 10000 objects. external_id: this key is required. content: the text, '
  'which is split into chunks. title: it is searched like the text, and the model reads it before each chunk. '
  'source_uri, metadata, speaker, category, importance, occurred_at, language: they are for filters and results; '
  'speaker is searched as well, and language decides how words are analysed. embedding: the vector of the document, '
  'which becomes one chunk. sparse: an object of terms and weights as in store_sparse_terms; with it, too, the '
  'document becomes one chunk. chunks: in place of content, an array of objects that have content and, if you like, '
  'embedding, sparse and attributes of their own. turns: in place of content, a transcript. It is an array of '
  'objects with text, and speaker, start and end in seconds if they are known, in the order of start. Its chunks '
  'keep turns and sentences whole where they fit, and say who speaks. Their metadata has speakers, start and end, '
  'and their occurred_at is the document''s occurred_at plus start. chunk_tokens (16 up to the collection''s), '
  'overlap_tokens (0 to half of chunk_tokens): for content and turns, these replace the collection''s settings. '
  'format: markdown keeps headings, code, tables and lists of content whole where they fit.\n'
  'Text is searchable as soon as this commits. Chunks without an embedding wait in the outbox (see '
  'claim_embedding_jobs), unless the document had a chunk with the same text, title and speaker. Then the new chunk '
  'keeps the embedding, and the sparse terms unless the key sparse is given. A document that has not changed costs '
  'very little. Return for each document its id, its number of chunks and its status. The status is inserted, '
  'replaced (new chunks), updated (only attributes changed), unchanged, or superseded by a later document of the '
  'call with the same external_id.';
