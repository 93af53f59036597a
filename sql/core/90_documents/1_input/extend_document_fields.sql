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
  'Extension point: the fields of documents and chunks that are parts'', each with the JSON types that it may have. '
  'Such a field is of one chunk, as an embedding is: of a document, it comes with one.';
