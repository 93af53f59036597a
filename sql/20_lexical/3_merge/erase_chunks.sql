create or replace function braid_store.erase_chunks(tenant_id int, collection_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_chunk_id bigint;
begin
  foreach v_chunk_id in array erase_chunks.chunk_ids loop
    delete from braid_store.tombstones t
    where t.tenant_id = erase_chunks.tenant_id and t.collection_id = erase_chunks.collection_id
      and t.chunk_id = v_chunk_id;
    delete from braid_store.forward_rows f
    where f.tenant_id = erase_chunks.tenant_id and f.chunk_id = v_chunk_id;
  end loop;
end
$$;

comment on function braid_store.erase_chunks(int, int, bigint[]) is
  'Deletes the last traces of deleted chunks that no segment and no deletion counts any more.';
