create or replace function braid_store.remove_listed_documents(external_ids text[], collection text)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(remove_listed_documents.collection);
  v_document_ids bigint[];
begin
  perform braid_store.lock_for_writing(v_collection.id, v_tenant_id);
  -- In the order of external_id, as store_documents locks them.
  v_document_ids := array(
    select d.id
    from braid_store.documents d
    where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id
      and d.external_id = any (remove_listed_documents.external_ids)
    order by d.external_id
    for update);
  if v_document_ids = '{}' then
    return 0;
  end if;

  perform braid_store.remove_chunks(v_tenant_id, v_collection.id, array(
    select k.id
    from unnest(v_document_ids) u (document_id),
         lateral (
           select k.id from braid_store.chunks k
           where k.tenant_id = v_tenant_id and k.document_id = u.document_id
           offset 0
         ) k));
  delete from braid_store.documents d where d.tenant_id = v_tenant_id and d.id = any (v_document_ids);
  perform braid_store.merge_inline(v_tenant_id, v_collection);
  return cardinality(v_document_ids);
end
$$;

comment on function braid_store.remove_listed_documents(text[], text) is
  'Does the work of braid.delete_document and braid.delete_documents.';
