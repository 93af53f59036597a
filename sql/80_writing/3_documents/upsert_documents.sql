create or replace function braid.upsert_documents(documents jsonb, collection text default 'default')
returns setof braid.write_result
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_store.write_documents(upsert_documents.documents, upsert_documents.collection);
$$;

comment on function braid.upsert_documents(jsonb, text) is
  'Stores a JSON array of documents: external_id (yours, required), content, title, source_uri, metadata, speaker, '
  'category, importance, occurred_at, language, and either embedding (the document is then one chunk) or chunks, an '
  'array of objects with content, embedding and attributes of their own. Text is searchable at commit. Unchanged '
  'documents cost next to nothing.';
