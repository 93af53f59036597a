-- role: writer
create or replace function braid_calls.outdate_shard(collection text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_has_shard boolean;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(outdate_shard.collection);
begin
  update braid_store.vector_shards s
  set is_outdated = true
  where s.tenant_id = v_tenant_id and s.collection_id = v_collection.id
    and s.vector_space_id = v_collection.vector_space_id and s.state = 'serving';
  v_has_shard := found;
  perform braid_store.note_due(v_tenant_id, v_collection.id);
  return v_has_shard;
end
$$;

comment on function braid_calls.outdate_shard(text) is
  'Do the work of braid.rebuild_vector_index.';
