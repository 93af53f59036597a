create or replace function braid_store.index_sparse_rows(tenant_id int, collection_id int, chunk_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  -- A segment of fewer chunks would have lists of only one or two elements.
  c_least_segment constant int := 256;
  c_most_absorbed constant int := 1024;
begin
  if index_sparse_rows.chunk_ids = '{}' then
    return;
  elsif cardinality(index_sparse_rows.chunk_ids) >= c_least_segment then
    perform braid_store.write_sparse_segments(index_sparse_rows.tenant_id, index_sparse_rows.collection_id,
                                              index_sparse_rows.chunk_ids);
    return;
  end if;
  insert into braid_store.unindexed_sparse_rows (tenant_id, collection_id, chunk_id)
  select index_sparse_rows.tenant_id, index_sparse_rows.collection_id, u.chunk_id
  from unnest(index_sparse_rows.chunk_ids) u (chunk_id);
  -- Searches read the waiting rows one by one, so their number must stay small even if maintain() runs rarely.
  perform braid_store.absorb_sparse_rows(index_sparse_rows.tenant_id, index_sparse_rows.collection_id, c_most_absorbed,
                                         c_least_segment);
end
$$;

comment on function braid_store.index_sparse_rows(int, int, bigint[]) is
  'Index the sparse rows of distinct chunks that were written in this transaction. If there are many chunks, write '
  'them as segments. If there are few, leave them in unindexed_sparse_rows until enough for a segment wait there.';
