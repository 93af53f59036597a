-- role: writer
create or replace function braid_calls.remove_documents(collection text)
returns bigint
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(remove_documents.collection);
  v_table text;
  v_count bigint;
begin
  perform braid_store.extend_work_on_all(v_tenant_id, 'clear_collection');
  perform braid_store.lock_part(v_collection.id, v_tenant_id);
  foreach v_table in array braid_store.collection_tables() loop
    -- documents is the last table, so v_count is its count.
    v_count := braid_store.delete_rows(v_table, v_tenant_id, v_collection.id);
  end loop;
  perform braid_store.retire_shards(v_tenant_id, v_collection.id);
  return v_count;
end
$$;

comment on function braid_calls.remove_documents(text) is
  'Do the work of braid.clear_collection.';
