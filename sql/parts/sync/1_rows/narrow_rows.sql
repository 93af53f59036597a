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
  v_free boolean[];
  v_is_free boolean;
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
    -- A document that a worker is writing must not keep the others open.
    v_free := array(
      select l.is_free
      from unnest(v_part.external_ids) with ordinality u (external_id, place)
      left join lateral (
        select true as is_free from braid_store.documents d
        where d.tenant_id = v_part.tenant_id and d.collection_id = v_part.collection_id
          and d.external_id between u.external_id and u.external_id
        order by d.external_id
        for update skip locked
        offset 0
      ) l on true
      order by u.place);
    for v_is_free in select f from unnest('{true,false}'::boolean[]) f loop
      begin
        perform braid_store.extend_narrowed_documents(
          v_part.tenant_id, v_part.collection_id, array_agg(u.external_id order by u.place),
          array_agg(u.access order by u.place))
        from unnest(v_part.external_ids, v_part.accesses, v_free)
               with ordinality u (external_id, access, is_free, place)
        where (u.is_free is true) = v_is_free
        having count(*) > 0;
      exception when lock_not_available or deadlock_detected then
        null; -- A worker is writing one of the documents, and will write it again.
      end;
    end loop;
  end loop;
end
$$;

comment on function braid_store.narrow_rows(int, jsonb) is
  'Let a session read the documents of changed rows only if it may read the row before and after its change, until a '
  'worker has written them. rows: an array of objects with tenant, key and access.';
