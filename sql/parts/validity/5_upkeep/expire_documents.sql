create or replace function braid_store.expire_documents(
  deadline timestamptz,
  out document_count bigint,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 200;
  v_collection braid_store.collections;
  v_tenants record;
  v_tenant_id int;
  v_due_ids bigint[];
  v_count bigint;
begin
  document_count := 0;
  is_complete := true;
  for v_collection in
    select c.* from braid_store.collections c where c.parts ?| '{validity,retention_days}' order by c.id
  loop
    v_tenants := braid_store.tenants_with_rows(v_collection.id, 0);
    while v_tenants.last_tenant_id is not null loop
      foreach v_tenant_id in array v_tenants.tenant_ids loop
        loop
          v_due_ids := braid_store.due_documents(v_tenant_id, v_collection, c_batch_size);
          exit when v_due_ids = '{}';
          v_count := case when braid_store.try_lock_part(v_collection.id, v_tenant_id)
                          then braid_store.delete_due(v_tenant_id, v_collection, v_due_ids) else 0 end;
          document_count := document_count + v_count;
          if v_count = 0 then
            is_complete := false;
            exit;
          end if;
          perform braid_store.note_due(v_tenant_id, v_collection.id);
          if clock_timestamp() > expire_documents.deadline then
            is_complete := false;
            return;
          end if;
        end loop;
      end loop;
      v_tenants := braid_store.tenants_with_rows(v_collection.id, v_tenants.last_tenant_id);
    end loop;
  end loop;
end
$$;

comment on function braid_store.expire_documents(timestamptz) is
  'Delete documents that have expired or are older than the retention of their collection, in batches until the '
  'deadline. is_complete: whether nothing is left.';
