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
  E'Store documents under your own ids, and replaces those that were there, all in one transaction.\n'
  'documents: a JSON array of at most 10000 objects. Keys: external_id (required), content, title, source_uri, '
  'metadata, speaker, category, importance, occurred_at, language. content is split into chunks; with the key '
  'embedding, the document becomes one chunk with that vector; so it does with the key sparse, an object of terms and '
  'weights as in store_sparse_terms; with the key chunks, you split it yourself: an array of objects with content, '
  'and if you like embedding, sparse and attributes of their own. The key turns, in place of content, is a '
  'transcript: an array of objects with text, and speaker, start and end in seconds if they are known, in the order '
  'of start. Its chunks keep turns and sentences whole where they fit, say who says what, and have their speakers, '
  'start, end, and occurred_at + start as their occurred_at. chunk_tokens and overlap_tokens: how long the chunks of '
  'content and turns are at most, and how much of one the next repeats, in place of what the collection has. format: '
  'markdown keeps headings, code, tables and lists of content whole where they fit. Chunks without an embedding wait '
  'in the outbox (see claim_embedding_jobs), unless the document had one with the same text: they keep its embedding, '
  'and so its sparse terms unless they have the key sparse. Text is searchable as soon as this commits. A document '
  'that has not changed costs very little. Return for each document its id, what happened (inserted, replaced, '
  'updated, unchanged, or superseded by a later one of the same external_id) and its number of chunks.';
