create or replace function braid_store.extend_stored_documents(
  tenant_id int,
  collection braid_store.collections,
  inputs braid_store.document_input[],
  changes braid_store.document_change[]
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

comment on function braid_store.extend_stored_documents(int, braid_store.collections, braid_store.document_input[],
                                                        braid_store.document_change[]) is
  'Extension point: store the attributes that parts have of documents (extend_document_attributes), before the chunks '
  'of new and replaced documents are written. It is called if any document of the batch has fields of parts.';
