create or replace function braid_store.merge_sparse_segments(tenant_id int, collection_id int, segment_ids bigint[])
returns int
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
  v_segment_ids bigint[];
  v_chunk_ids bigint[];
begin
  -- Under REPEATABLE READ or SERIALIZABLE, deleting rows that another merge has changed would raise 40001: see
  -- merge_segments.
  if current_setting('transaction_isolation') <> 'read committed' then
    return 0;
  end if;
  v_segment_ids := array(
    select s.id
    from braid_store.sparse_segments s
    where s.tenant_id = merge_sparse_segments.tenant_id and s.collection_id = merge_sparse_segments.collection_id
      and s.id = any (merge_sparse_segments.segment_ids)
    order by s.id
    for update skip locked);
  if cardinality(v_segment_ids) < cardinality(merge_sparse_segments.segment_ids) then
    return 0; -- another session is merging one of the segments
  end if;
  -- If a chunk's terms are replaced after this statement, the chunk already has a place of its own.
  v_chunk_ids := array(
    select distinct sc.chunk_id
    from unnest(v_segment_ids) u (segment_id),
         lateral (
           select sc.chunk_id from braid_store.sparse_segment_chunks sc
           where sc.tenant_id = merge_sparse_segments.tenant_id
             and sc.collection_id = merge_sparse_segments.collection_id
             and sc.segment_id = u.segment_id
           offset 0
         ) sc,
         lateral (
           select from braid_store.sparse_rows r
           where r.tenant_id = merge_sparse_segments.tenant_id and r.collection_id = merge_sparse_segments.collection_id
             and r.chunk_id = sc.chunk_id
           offset 0
         ) r
    order by sc.chunk_id);
  perform braid_store.erase_sparse_segments(merge_sparse_segments.tenant_id, merge_sparse_segments.collection_id,
    v_segment_ids);
  if v_chunk_ids <> '{}' then
    perform braid_store.write_sparse_segment(merge_sparse_segments.tenant_id, merge_sparse_segments.collection_id,
      v_chunk_ids);
  end if;
  return cardinality(v_segment_ids);
end
$$;

comment on function braid_store.merge_sparse_segments(int, int, bigint[]) is
  'Write the chunks of sparse segments that still have terms as one segment. Return the number of segments joined. '
  'It is 0 if another session has locked one of them, or outside READ COMMITTED.';
