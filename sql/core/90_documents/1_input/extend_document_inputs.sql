create or replace function braid_store.extend_document_inputs(
  inout inputs braid_store.document_input[],
  collection braid_store.collections,
  tenant_id int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_document_inputs(braid_store.document_input[], braid_store.collections, int) is
  'Extension point: let parts check and change the metadata of documents before it is stored. It is called for '
  'collections that have settings of parts. ordinality is the place in inputs. A change of metadata alone gives '
  'external_id and metadata, and nothing else.';
