create or replace function braid_store.extend_hidden_document(
  document braid_store.documents,
  collection braid_store.collections
)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return null;
end
$$;

comment on function braid_store.extend_hidden_document(braid_store.documents, braid_store.collections) is
  'Extension point: tell whether a document counts as absent though it is stored. It is called for collections that '
  'have settings of parts.';
