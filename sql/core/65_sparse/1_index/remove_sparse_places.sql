create or replace function braid_store.remove_sparse_places(tenant_id int, collection_id int, chunk_ids bigint[])
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
  -- At a higher isolation level, deleting a row that a merge has deleted would raise 40001.
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  -- Rows locked by a merge are skipped. A place that remains leads to a current sparse row, or to none.
  delete from braid_store.sparse_segment_chunks sc
  where sc.tenant_id + 0 = remove_sparse_places.tenant_id and sc.ctid = any (array(
    select sc.ctid
    from unnest(remove_sparse_places.chunk_ids) u (chunk_id),
         lateral (
           select sc.ctid from braid_store.sparse_segment_chunks sc
           where sc.tenant_id = remove_sparse_places.tenant_id and sc.chunk_id = u.chunk_id
             and sc.collection_id = remove_sparse_places.collection_id
           for update skip locked
           offset 0
         ) sc));
end
$$;

comment on function braid_store.remove_sparse_places(int, int, bigint[]) is
  'Remove chunks from the lists of sparse segments, because their terms are deleted or replaced.';
