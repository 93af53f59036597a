create or replace function braid_store.merge_segments(
  tenant_id int,
  collection braid_store.collections,
  segment_ids bigint[],
  max_deletion_size bigint
)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- With sequential scans allowed, a plan cached while the tables were small would scan them whole for each key, until
-- the session ends.
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_collection_id int := merge_segments.collection.id;
  v_segment_ids bigint[];
  v_deletion_ids bigint[];
  v_kept_ids bigint[];
  v_dropped_ids bigint[];
  v_uncovered_ids bigint[]; -- chunks of these deletions that other segments hold
begin
  -- In READ COMMITTED, each statement after the locks sees everything committed before the locks were taken. Under
  -- REPEATABLE READ or SERIALIZABLE, deleting rows that another merge has changed would raise 40001.
  if current_setting('transaction_isolation') <> 'read committed' then
    return 0;
  end if;
  select array_agg(s.id order by s.id) filter (where not s.is_deletion),
         coalesce(array_agg(s.id) filter (where s.is_deletion), '{}')
  into v_segment_ids, v_deletion_ids
  from (
    select s.id, s.is_deletion
    from braid_store.segments s
    where s.tenant_id = merge_segments.tenant_id and s.collection_id = v_collection_id
      and s.id = any (merge_segments.segment_ids)
    order by s.id
    for update skip locked
  ) s;
  -- Another merge is about to replace the segments that it has locked. If too few segments are left, leave them to a
  -- later merge.
  if coalesce(cardinality(v_segment_ids), 0) + cardinality(v_deletion_ids)
     < least(cardinality(merge_segments.segment_ids), 8) then
    return 0;
  end if;
  v_deletion_ids := v_deletion_ids || braid_store.lock_deletions(merge_segments.tenant_id, v_collection_id,
                                                                 v_segment_ids, max_deletion_size);

  -- This one statement decides which chunks are dropped. If a chunk's delete commits later, or its deletion is not
  -- locked here, the chunk moves to the new segment and its tombstone stays.
  select array_agg(distinct i.chunk_id order by i.chunk_id) filter (where not i.is_dropped),
         coalesce(array_agg(i.chunk_id) filter (where i.is_dropped and v_collection_id > 0), '{}')
  into v_kept_ids, v_dropped_ids
  from (
    select sc.chunk_id,
           case when v_collection_id > 0
                then exists (
                  select from braid_store.tombstones t
                  where t.tenant_id = merge_segments.tenant_id and t.collection_id = v_collection_id
                    and t.chunk_id = sc.chunk_id and t.segment_id = any (v_deletion_ids)
                  offset 0)
                -- Sparse terms that replaced these are in a later segment.
                else not exists (
                  select from braid_store.sparse_rows r
                  where r.tenant_id = merge_segments.tenant_id and r.collection_id = -v_collection_id
                    and r.chunk_id = sc.chunk_id and r.newer_than < sc.segment_id
                  offset 0) end as is_dropped
    from unnest(v_segment_ids) u (segment_id),
         lateral (
           select sc.chunk_id, sc.segment_id from braid_store.segment_chunks sc
           where sc.tenant_id = merge_segments.tenant_id and sc.collection_id = v_collection_id
             and sc.segment_id = u.segment_id
           offset 0
         ) sc
  ) i;
  -- "except" is used because "<> all (v_dropped_ids)" would search the whole array for each chunk.
  select array_agg(t.chunk_id order by t.chunk_id) into v_uncovered_ids
  from (
    select t.chunk_id
    from unnest(v_deletion_ids) u (segment_id),
         lateral (
           select t.chunk_id from braid_store.tombstones t
           where t.segment_id = u.segment_id and t.tenant_id = merge_segments.tenant_id
             and t.collection_id = v_collection_id
           offset 0
         ) t
    except
    select unnest(v_dropped_ids)
  ) t;

  perform braid_store.erase_segments(merge_segments.tenant_id, v_collection_id, v_segment_ids || v_deletion_ids);
  perform braid_store.erase_chunks(merge_segments.tenant_id, v_collection_id, v_dropped_ids);
  if v_kept_ids is not null then
    perform braid_store.write_segment(merge_segments.tenant_id, merge_segments.collection, v_kept_ids);
  end if;
  if v_uncovered_ids is not null then
    perform braid_store.point_tombstones(
      merge_segments.tenant_id, v_collection_id, v_uncovered_ids,
      braid_store.write_deletion(merge_segments.tenant_id, v_collection_id, v_uncovered_ids));
  end if;
  return coalesce(cardinality(v_segment_ids), 0) + cardinality(v_deletion_ids);
end
$$;

comment on function braid_store.merge_segments(int, braid_store.collections, bigint[], bigint) is
  'Join segments into one segment and deletions into one deletion, and drop the deleted chunks whose segment and '
  'deletion both take part. segment_ids: the segments and deletions to join; any that another merge has locked are '
  'left out. max_deletion_size: deletions of at most this many chunks take part as well if they cover chunks of '
  'these segments. The results are built again from the forward rows. Return the number of segments and deletions '
  'joined. It is 0 if too few of them were free, or outside READ COMMITTED.';
