create or replace function braid_store.expire_hours(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- Make the planner use the primary key, whose order avoids a sort.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_kept_time constant interval := '400 days';
  v_tenant_id int := 0;
  v_collection_id int := 0;
  v_is_there boolean;
begin
  loop
    select h.tenant_id, h.collection_id, exists (select from braid_store.collections c where c.id = h.collection_id)
    into v_tenant_id, v_collection_id, v_is_there
    from braid_store.search_hours h
    where (h.tenant_id, h.collection_id) > (v_tenant_id, v_collection_id)
    order by h.tenant_id, h.collection_id
    limit 1;
    if not found then
      return true;
    elsif not braid_store.delete_hours(v_tenant_id, v_collection_id,
                                       case when v_is_there then clock_timestamp() - c_kept_time else 'infinity' end,
                                       expire_hours.deadline) then
      return false;
    end if;
  end loop;
end
$$;

comment on function braid_store.expire_hours(timestamptz) is
  'Delete counts of logged searches that are older than 400 days or belong to dropped collections, in batches until '
  'the deadline. Return whether none is left.';
