create or replace function braid_store.reap_collections(deadline timestamptz)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_dropped braid_store.dropped_collections;
  v_tenants record;
  v_tenant_id int;
  v_done record;
  v_is_over boolean;
  v_total bigint := 0;
begin
  for v_dropped in
    select d.* from braid_store.dropped_collections d order by d.id for update skip locked
  loop
    loop
      v_tenants := braid_store.tenants_with_rows(v_dropped.id, v_dropped.reached_tenant_id);
      exit when v_tenants.last_tenant_id is null;
      v_is_over := false;
      foreach v_tenant_id in array v_tenants.tenant_ids loop
        perform braid_store.retire_shards(v_tenant_id, v_dropped.id);
        v_done := braid_store.reap_part(v_tenant_id, v_dropped.id, reap_collections.deadline);
        v_total := v_total + v_done.document_count;
        v_is_over := not v_done.is_complete;
        exit when v_is_over;
        v_dropped.reached_tenant_id := v_tenant_id;
      end loop;
      if not v_is_over then
        v_dropped.reached_tenant_id := v_tenants.last_tenant_id;
      end if;
      update braid_store.dropped_collections d
      set reached_tenant_id = v_dropped.reached_tenant_id
      where d.id = v_dropped.id;
      if v_is_over or clock_timestamp() > reap_collections.deadline then
        return v_total;
      end if;
    end loop;
    delete from braid_store.dropped_collections d where d.id = v_dropped.id;
  end loop;
  return v_total;
end
$$;

comment on function braid_store.reap_collections(timestamptz) is
  'Delete what tenants stored in dropped collections, in batches until the deadline. Return the number of documents '
  'deleted.';
