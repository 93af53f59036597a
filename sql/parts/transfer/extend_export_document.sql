create or replace function braid_store.extend_export_document(
  tenant_id int,
  collection braid_store.collections,
  document_id bigint
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{}';
end
$$;

comment on function braid_store.extend_export_document(int, braid_store.collections, bigint) is
  'Extension point: return the data that parts store with a document, by the names that their manifests list in '
  'document_records.';
