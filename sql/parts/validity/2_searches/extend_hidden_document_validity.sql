create or replace function braid_store.extend_hidden_document_validity(
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
  return (collection.parts -> 'validity')::boolean
         and (document.metadata ->> 'expires_at') collate "C" <= braid_store.instant_text(clock_timestamp());
end
$$;

comment on function braid_store.extend_hidden_document_validity(braid_store.documents, braid_store.collections) is
  'Tell whether a document has expired.';
