-- role: writer
create or replace function braid_calls.remove_listed_documents(external_ids text[], collection text)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_documents constant int := 100000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections;
  v_count bigint;
begin
  v_collection := braid_store.find_collection(remove_listed_documents.collection);
  if cardinality(remove_listed_documents.external_ids) > c_max_documents then
    raise exception 'external_ids has % elements, more than %', cardinality(remove_listed_documents.external_ids),
                    c_max_documents
      using errcode = '54000', hint = 'Delete in batches. To delete all documents of the collection, call '
                                      'braid.clear_collection.';
  end if;
  perform braid_store.lock_for_writing(v_collection.id, v_tenant_id);
  v_count := braid_store.delete_listed(v_tenant_id, v_collection.id, remove_listed_documents.external_ids);
  if v_count > 0 then
    perform braid_store.merge_inline(v_tenant_id, v_collection);
    perform braid_store.note_due(v_tenant_id, v_collection.id);
  end if;
  return v_count;
end
$$;

comment on function braid_calls.remove_listed_documents(text[], text) is
  'Do the work of braid.delete_document and braid.delete_documents.';
