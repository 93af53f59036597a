create or replace function braid_store.extend_document_fields_reranking()
returns jsonb
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select '{"token_vectors": ["array", "null"]}'::jsonb;
$$;

comment on function braid_store.extend_document_fields_reranking() is
  'Return the document field for the token vectors of a chunk, as extend_document_fields does.';
