-- role: writer
-- example: braid.upsert_document(external_id => 'doc1', content => 'x', collection => 'small')
-- page: guide/documents.md#write
create or replace function braid.upsert_document(
  external_id text,
  content text default null,
  title text default null,
  source_uri text default null,
  metadata jsonb default null,
  speaker text default null,
  category text default null,
  importance float8 default null,
  occurred_at timestamptz default null,
  language text default null,
  embedding @vector@.vector default null,
  chunks jsonb default null,
  collection text default 'default',
  sparse jsonb default null,
  turns jsonb default null,
  chunk_tokens int default null,
  overlap_tokens int default null,
  format text default null
)
returns braid_store.write_result
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select *
  from braid_calls.write_documents(
    jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
      'external_id', external_id, 'content', content, 'title', title, 'source_uri', source_uri, 'speaker', speaker,
      'category', category, 'importance', importance, 'occurred_at', occurred_at, 'language', language,
      'embedding', embedding::real[], 'chunk_tokens', chunk_tokens, 'overlap_tokens', overlap_tokens,
      'format', format))
      -- A null inside metadata, chunks, turns or sparse means what the caller says, so it is not stripped.
      || case when metadata is null then '{}' else jsonb_build_object('metadata', metadata) end
      || case when chunks is null then '{}' else jsonb_build_object('chunks', chunks) end
      || case when sparse is null then '{}' else jsonb_build_object('sparse', sparse) end
      || case when turns is null then '{}' else jsonb_build_object('turns', turns) end),
    collection);
$$;

comment on function braid.upsert_document(text, text, text, text, jsonb, text, text, float8, timestamptz, text,
                                          @vector@.vector, jsonb, text, jsonb, jsonb, int, int, text) is
  E'Store one document under your own id for it (external_id), in place of any former document with that id.\n'
  'content: the text, which is split into chunks; they wait in the outbox for their embeddings. embedding: the '
  'vector of the document, which becomes one chunk. sparse: weighted terms such as {"harbour": 1.2}; with them, too, '
  'the document becomes one chunk. chunks: a JSON array as in upsert_documents, in place of content, if you split '
  'the text yourself. turns: what is said in a conversation, an array as in upsert_documents, in place of content. '
  'chunk_tokens, overlap_tokens: for content and turns, these replace the collection''s settings. format: markdown '
  'keeps the blocks of content whole. title, source_uri, metadata, speaker, category, importance, occurred_at, '
  'language: these are optional; searches return all of them but language, and filters can name all but title.\n'
  'Text is searchable as soon as this commits. Return the external_id, the document''s id, the status (inserted, '
  'replaced, updated or unchanged) and the number of chunks. For many documents, use upsert_documents.';
