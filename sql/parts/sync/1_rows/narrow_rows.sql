-- role: service
-- tenants: all
-- Trigger functions and workers call it.
create or replace function braid_store.narrow_rows(synced_table_id int, rows jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
-- A user's statement must not wait for a worker.
set lock_timeout = '100ms'
as $$
declare
  v_part record;
begin
  for v_part in
    select o.tenant_id, o.collection_id, array_agg(o.external_id order by o.external_id) as external_ids,
           array_agg(g.access order by o.external_id) as accesses
    from braid_store.synced_tables s
    cross join lateral (
      select coalesce(s.fixed_tenant_id, (
               select t.id from braid_store.tenants t where t.key = r.value ->> 'tenant')) as tenant_id,
             braid_store.synced_external_id(r.value -> 'key') as external_id, r.value -> 'access' as access
      from jsonb_array_elements(narrow_rows.rows) r
    ) g
    cross join lateral (
      select r.* from braid_store.synced_rows r
      where r.tenant_id = g.tenant_id and r.collection_id = s.collection_id
        and r.external_id between g.external_id and g.external_id
      order by r.external_id
      offset 0
    ) o
    where s.id = narrow_rows.synced_table_id and o.synced_table_id = s.id
    group by o.tenant_id, o.collection_id
    order by o.tenant_id
  loop
    perform braid_store.extend_narrowed_documents(v_part.tenant_id, v_part.collection_id, v_part.external_ids,
                                                  v_part.accesses);
  end loop;
exception when lock_not_available or deadlock_detected then
  null; -- A worker is writing one of the documents, and will write it again.
end
$$;

comment on function braid_store.narrow_rows(int, jsonb) is
  'Let a session read the documents of changed rows only if it may read the row before and after its change, until a '
  'worker has written them. rows: an array of objects with tenant, key and access.';
