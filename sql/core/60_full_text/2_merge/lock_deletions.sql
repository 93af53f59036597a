create or replace function braid_store.lock_deletions(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  max_deletion_size bigint
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
declare
  v_deletion_ids bigint[];
begin
  -- Look up tombstones for the chunks of the given segments, instead of reading all tombstones, so that a small merge
  -- stays cheap.
  select array_agg(distinct t.segment_id) into v_deletion_ids
  from unnest(lock_deletions.segment_ids) u (segment_id),
       lateral (
         select sc.chunk_id from braid_store.segment_chunks sc
         where sc.tenant_id = lock_deletions.tenant_id and sc.collection_id = lock_deletions.collection_id
           and sc.segment_id = u.segment_id
         offset 0
       ) sc,
       lateral (
         select t.segment_id from braid_store.tombstones t
         where t.tenant_id = lock_deletions.tenant_id and t.collection_id = lock_deletions.collection_id
           and t.chunk_id = sc.chunk_id
         offset 0
       ) t;
  if v_deletion_ids is null then
    return '{}';
  end if;
  return array(
    select s.id
    from braid_store.segments s
    where s.tenant_id = lock_deletions.tenant_id and s.collection_id = lock_deletions.collection_id
      and s.id = any (v_deletion_ids) and s.is_deletion and -s.chunk_count <= lock_deletions.max_deletion_size
    order by s.id
    for update skip locked);
end
$$;

comment on function braid_store.lock_deletions(int, int, bigint[], bigint) is
  'Lock the deletions that cover chunks of the given segments, so that a merge of these segments can include them. '
  'Return the ids of the deletions. Skip deletions of more than max_deletion_size chunks, and deletions that another '
  'merge has locked.';
