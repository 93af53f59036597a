create or replace function braid_store.note_parts(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_due braid_store.due_collections;
  v_tenants record;
begin
  for v_due in
    select d.* from braid_store.due_collections d where d.noted_until is null order by d.id for update skip locked
  loop
    loop
      v_tenants := braid_store.tenants_with_rows(v_due.collection_id, v_due.reached_tenant_id);
      exit when v_tenants.last_tenant_id is null;
      insert into braid_store.due_parts (tenant_id, collection_id, task)
      select u.tenant_id, v_due.collection_id, 'visit' from unnest(v_tenants.tenant_ids) u (tenant_id);
      v_due.reached_tenant_id := v_tenants.last_tenant_id;
      update braid_store.due_collections d set reached_tenant_id = v_due.reached_tenant_id where d.id = v_due.id;
      if clock_timestamp() > note_parts.deadline then
        return false;
      end if;
    end loop;
    -- Writers note a tenant whose first document comes later.
    update braid_store.due_collections d
    set noted_until = (select coalesce(max(p.id), 0) from braid_store.due_parts p)
    where d.id = v_due.id;
  end loop;
  return true;
end
$$;

comment on function braid_store.note_parts(timestamptz) is
  'Note that every tenant''s part of a collection whose definition has changed must be visited, until the deadline. '
  'Return true if all are noted.';
