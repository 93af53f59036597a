create or replace function braid_store.copy_document(
  tenant_id int,
  collection_id int,
  external_id text,
  new_external_id text
)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  -- Insert a whole row, so that no column of a part can be forgotten.
  insert into braid_store.documents overriding user value
  select (jsonb_populate_record(d, jsonb_build_object(
           'external_id', copy_document.new_external_id, 'content_hash', E'\\x', 'attribute_hash', null,
           'created_at', now(), 'updated_at', now()))).*
  from braid_store.documents d
  where d.tenant_id = copy_document.tenant_id and d.collection_id = copy_document.collection_id
    and d.external_id = copy_document.external_id
  on conflict (tenant_id, collection_id, external_id) do nothing;
  return found;
end
$$;

comment on function braid_store.copy_document(int, int, text, text) is
  'Copy a document without its chunks to another external_id, for a write that comes next. Return false if the other '
  'document exists already.';
