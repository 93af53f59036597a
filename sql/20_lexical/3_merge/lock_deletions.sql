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
as $$
#variable_conflict use_column
declare
  v_candidate_ids bigint[];
begin
  select array_agg(s.id) into v_candidate_ids
  from braid_store.segments s
  where s.tenant_id = lock_deletions.tenant_id and s.collection_id = lock_deletions.collection_id
    and s.is_deletion and -s.chunk_count <= lock_deletions.max_deletion_size;
  if v_candidate_ids is null then
    return '{}';
  end if;
  return array(
    select s.id
    from braid_store.segments s
    where s.tenant_id = lock_deletions.tenant_id and s.collection_id = lock_deletions.collection_id
      and s.id = any (v_candidate_ids)
      and exists (
        select
        from braid_store.tombstones t,
             lateral (
               select sc.segment_id from braid_store.segment_chunks sc
               where sc.tenant_id = lock_deletions.tenant_id and sc.chunk_id = t.chunk_id
               offset 0
             ) sc
        where t.segment_id = s.id and t.tenant_id = lock_deletions.tenant_id
          and t.collection_id = lock_deletions.collection_id and sc.segment_id = any (lock_deletions.segment_ids))
    order by s.id
    for update of s skip locked);
end
$$;

comment on function braid_store.lock_deletions(int, int, bigint[], bigint) is
  'Locks the deletions, up to a size, of chunks in the given segments, but for those that another merge has locked.';
