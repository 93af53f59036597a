create or replace function braid_store.erase_chunks(tenant_id int, collection_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  if erase_chunks.chunk_ids = '{}' then
    return;
  end if;
  delete from braid_store.tombstones t
  where t.tenant_id + 0 = erase_chunks.tenant_id and t.ctid = any (array(
    select t.ctid
    from unnest(erase_chunks.chunk_ids) u (chunk_id),
         lateral (
           select t.ctid from braid_store.tombstones t
           where t.tenant_id = erase_chunks.tenant_id and t.collection_id = erase_chunks.collection_id
             and t.chunk_id = u.chunk_id
           offset 0
         ) t));
  delete from braid_store.forward_rows f
  where f.tenant_id + 0 = erase_chunks.tenant_id and f.ctid = any (array(
    select f.ctid
    from unnest(erase_chunks.chunk_ids) u (chunk_id),
         lateral (
           select f.ctid from braid_store.forward_rows f
           where f.tenant_id = erase_chunks.tenant_id and f.chunk_id = u.chunk_id
           offset 0
         ) f));
end
$$;

comment on function braid_store.erase_chunks(int, int, bigint[]) is
  'Delete the tombstones and the forward rows of deleted chunks. Call it when no segment holds the chunks and no '
  'deletion counts them any more.';
