create or replace function braid_store.extend_missing_document(collection_id int, external_id text)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return null;
end
$$;

comment on function braid_store.extend_missing_document(int, text) is
  'Extension point: say in a sentence why a document does not exist; null if no part knows.';
