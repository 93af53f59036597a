create or replace function braid_store.erase_emptied_segments(tenant_id int, collection_id int, chunk_ids bigint[])
returns bigint[]
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
  v_erased_ids bigint[];
begin
  -- Under REPEATABLE READ or SERIALIZABLE, deleting rows that a concurrent merge has changed would raise 40001.
  if current_setting('transaction_isolation') <> 'read committed' then
    return erase_emptied_segments.chunk_ids;
  end if;
  -- A segment's chunks never change, so the count stays true once the segment is locked. A segment locked by a merge is
  -- skipped: it keeps its chunks, and tombstones hide them.
  v_segment_ids := array(
    select s.id
    from (
      select sc.segment_id, count(*) as chunk_count
      from unnest(erase_emptied_segments.chunk_ids) u (chunk_id),
           lateral (
             select sc.segment_id from braid_store.segment_chunks sc
             where sc.tenant_id = erase_emptied_segments.tenant_id and sc.chunk_id between u.chunk_id and u.chunk_id
             order by sc.chunk_id
             offset 0
           ) sc
      group by sc.segment_id
      offset 0
    ) h,
    lateral (
      select s.id from braid_store.segments s
      where s.tenant_id = erase_emptied_segments.tenant_id and s.collection_id = erase_emptied_segments.collection_id
        and s.id = h.segment_id and s.chunk_count = h.chunk_count
      for update skip locked
      offset 0
    ) s);
  if v_segment_ids = '{}' then
    return erase_emptied_segments.chunk_ids;
  end if;
  v_erased_ids := array(
    select sc.chunk_id
    from unnest(v_segment_ids) u (segment_id),
         lateral (
           select sc.chunk_id from braid_store.segment_chunks sc
           where sc.tenant_id = erase_emptied_segments.tenant_id
             and sc.collection_id = erase_emptied_segments.collection_id and sc.segment_id = u.segment_id
           offset 0
         ) sc);
  perform braid_store.erase_segments(erase_emptied_segments.tenant_id, erase_emptied_segments.collection_id,
    v_segment_ids);
  perform braid_store.erase_chunks(erase_emptied_segments.tenant_id, erase_emptied_segments.collection_id,
    v_erased_ids);
  -- "except" is used because "<> all (v_erased_ids)" would search the whole array for each chunk.
  return array(select unnest(erase_emptied_segments.chunk_ids) except select unnest(v_erased_ids));
end
$$;

comment on function braid_store.erase_emptied_segments(int, int, bigint[]) is
  'Erase the segments whose chunks are all among chunk_ids, together with the index rows of these chunks. The caller '
  'is about to delete the chunks. Return the chunk_ids that remain in other segments. Outside READ COMMITTED, erase '
  'nothing and return all chunk_ids.';
