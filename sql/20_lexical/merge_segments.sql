create or replace function braid_store.merge_segments(tenant_id int, collection_id int, segment_ids bigint[])
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_segment_ids bigint[];
  v_live_ids bigint[]; -- in the order of segment and number: a chunk's place is its number in the new segment
  v_body_lengths int[];
  v_title_lengths int[];
  v_dead_ids bigint[];
  v_segment_id bigint;
  v_chunk_id bigint;
begin
  -- In READ COMMITTED the next statement sees all that was committed before these locks were taken. Under a snapshot
  -- of the transaction, deleting what another merge has touched would raise 40001.
  if current_setting('transaction_isolation') <> 'read committed' then
    return 0;
  end if;
  select array_agg(s.id) into v_segment_ids
  from (
    select s.id
    from braid_store.segments s
    where s.tenant_id = merge_segments.tenant_id and s.collection_id = merge_segments.collection_id
      and s.id = any (merge_segments.segment_ids)
    order by s.id
    for update skip locked
  ) s;
  if v_segment_ids is null then
    return 0;
  end if;

  -- This one statement decides which chunks are dead; only their tombstones go. The tombstone of a delete that commits
  -- later stays, and finds its chunk in the new segment.
  select array_agg(i.chunk_id order by i.segment_id, i.chunk_number) filter (where i.is_live),
         array_agg(i.body_length order by i.segment_id, i.chunk_number) filter (where i.is_live),
         array_agg(i.title_length order by i.segment_id, i.chunk_number) filter (where i.is_live),
         coalesce(array_agg(i.chunk_id) filter (where not i.is_live), '{}')
  into v_live_ids, v_body_lengths, v_title_lengths, v_dead_ids
  from (
    select sc.*, not exists (
             select from braid_store.tombstones t
             where t.tenant_id = merge_segments.tenant_id and t.collection_id = merge_segments.collection_id
               and t.chunk_id = sc.chunk_id) as is_live
    from unnest(v_segment_ids) u (segment_id),
         lateral (
           select sc.* from braid_store.segment_chunks sc
           where sc.tenant_id = merge_segments.tenant_id and sc.collection_id = merge_segments.collection_id
             and sc.segment_id = u.segment_id
           offset 0
         ) sc
  ) i;

  if v_live_ids is not null then
    perform braid_store.write_merged_segment(merge_segments.tenant_id, merge_segments.collection_id, v_segment_ids,
                                             v_live_ids, v_body_lengths, v_title_lengths);
  end if;

  -- One by one: for a list, the planner, which has no statistics, prefers to read all that the tenant has.
  foreach v_segment_id in array v_segment_ids loop
    delete from braid_store.postings p
    where p.tenant_id = merge_segments.tenant_id and p.collection_id = merge_segments.collection_id
      and p.segment_id = v_segment_id;
    delete from braid_store.segments s
    where s.tenant_id = merge_segments.tenant_id and s.collection_id = merge_segments.collection_id
      and s.id = v_segment_id;
  end loop;
  foreach v_chunk_id in array v_dead_ids loop
    delete from braid_store.segment_chunks sc
    where sc.tenant_id = merge_segments.tenant_id and sc.chunk_id = v_chunk_id;
    delete from braid_store.tombstones t
    where t.tenant_id = merge_segments.tenant_id and t.collection_id = merge_segments.collection_id
      and t.chunk_id = v_chunk_id;
    delete from braid_store.tombstone_terms t
    where t.tenant_id = merge_segments.tenant_id and t.collection_id = merge_segments.collection_id
      and t.chunk_id = v_chunk_id;
  end loop;
  return cardinality(v_segment_ids);
end
$$;

comment on function braid_store.merge_segments(int, int, bigint[]) is
  'Joins those of the given segments that nobody else is merging into one, dropping the chunks that are deleted. '
  'Returns how many it joined.';
