create or replace function braid_store.extend_visit_permissions(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Make the planner count in the order of the lists' index.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_hashagg = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_kept constant interval := '1 hour';
  c_drift constant float8 := 0.1;
  v_counted braid_store.access_list_counts;
  v_chunk_count bigint;
begin
  if (collection.parts -> 'permissions')::boolean is not true then
    return;
  end if;
  select a.* into v_counted
  from braid_store.access_list_counts a
  where a.tenant_id = extend_visit_permissions.tenant_id and a.collection_id = collection.id
  limit 1;
  select coalesce(sum(s.chunk_count), 0) into v_chunk_count
  from braid_store.segments s
  where s.tenant_id = extend_visit_permissions.tenant_id and s.collection_id = collection.id and not s.is_deletion;
  if v_counted.counted_at > now() - c_kept
     and abs(v_counted.total_count - v_chunk_count) <= c_drift * v_chunk_count then
    return;
  end if;
  delete from braid_store.access_list_counts a
  where a.tenant_id = extend_visit_permissions.tenant_id and a.collection_id = collection.id;
  insert into braid_store.access_list_counts (tenant_id, collection_id, access_list_id, chunk_count, total_count)
  select extend_visit_permissions.tenant_id, collection.id, c.access_list_id, c.chunk_count,
         (sum(c.chunk_count) over ())::bigint
  from (
    select c.access_list_id, count(*) as chunk_count from braid_store.chunks c
    where c.tenant_id = extend_visit_permissions.tenant_id and c.collection_id = collection.id
      and c.access_list_id is not null
    group by c.access_list_id
    union all
    select 0, count(*) from braid_store.chunks c
    where c.tenant_id = extend_visit_permissions.tenant_id and c.collection_id = collection.id
      and c.access_list_id is null
  ) c
  -- Another session may count as well.
  on conflict do nothing;
end
$$;

comment on function braid_store.extend_visit_permissions(int, braid_store.collections) is
  'Count the chunks of each access list again, if the collection has changed by a tenth or the counts are an hour old.';
