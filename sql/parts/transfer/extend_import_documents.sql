create or replace function braid_store.extend_import_documents(
  tenant_id int,
  collection braid_store.collections,
  document_ids bigint[],
  documents jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_import_documents(int, braid_store.collections, bigint[], jsonb[]) is
  'Extension point: store the data of parts that came with exported documents, after their chunks. documents: the '
  'documents as exported, parallel to document_ids.';
