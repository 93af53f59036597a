create or replace function braid_store.remove_sparse_rows(tenant_id int, collection_id int, chunk_ids bigint[])
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
  delete from braid_store.sparse_rows r
  where r.tenant_id + 0 = remove_sparse_rows.tenant_id and r.ctid = any (array(
    select r.ctid
    from unnest(remove_sparse_rows.chunk_ids) u (chunk_id),
         lateral (
           select r.ctid from braid_store.sparse_rows r
           where r.tenant_id = remove_sparse_rows.tenant_id and r.collection_id = remove_sparse_rows.collection_id
             and r.chunk_id = u.chunk_id
           offset 0
         ) r));
end
$$;

comment on function braid_store.remove_sparse_rows(int, int, bigint[]) is
  'Delete the weighted terms of chunks. The caller has locked the chunks, so that no other session writes their '
  'terms meanwhile.';
