create or replace function braid_store.extend_document_attributes()
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

comment on function braid_store.extend_document_attributes() is
  'Extension point: return the fields of documents that belong to parts and reach no index, each with its allowed '
  'JSON types. An absent field and a field that is null are different inputs.';
