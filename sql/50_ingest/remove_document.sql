create or replace function braid_store.remove_document(external_id text, collection text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(remove_document.collection);
  v_document_id bigint;
begin
  perform braid_store.lock_for_writing(v_collection.id, v_tenant_id);
  select d.id into v_document_id
  from braid_store.documents d
  where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
    and d.external_id = remove_document.external_id
  for update;
  if not found then
    return false;
  end if;

  perform braid_store.remove_chunks(v_tenant_id, v_collection.id, array(
    select k.id from braid_store.chunks k where k.tenant_id = v_tenant_id and k.document_id = v_document_id));
  delete from braid_store.documents d where d.tenant_id = v_tenant_id and d.id = v_document_id;
  perform braid_store.merge_inline(v_tenant_id, v_collection);
  return true;
end
$$;

comment on function braid_store.remove_document(text, text) is
  'Does the work of braid.delete_document.';
