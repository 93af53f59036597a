create or replace function braid_store.extend_document_fields()
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{}'::jsonb;
end
$$;

comment on function braid_store.extend_document_fields() is
  'Extension point: return the fields of documents and chunks that belong to parts, each with its allowed JSON '
  'types. A field belongs to one chunk, as an embedding does, so a document can have it only with an embedding or '
  'sparse terms.';
