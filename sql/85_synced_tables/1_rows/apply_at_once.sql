-- Cross-tenant: owned by the owner role. For the trigger functions.
create or replace function braid_store.apply_at_once(synced_table_id int, rows jsonb)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- A statement of the user's does not wait for a worker or for maintenance.
set lock_timeout = '100ms'
as $$
declare
  v_synced braid_store.synced_tables;
  v_place record;
  v_tenant text := current_setting('braid.tenant', true);
  v_part record;
begin
  select s.* into strict v_synced from braid_store.synced_tables s where s.id = apply_at_once.synced_table_id;
  if jsonb_array_length(rows) > braid_store.immediate_row_limit()
     -- A worker may be writing documents of these rows that are not to be seen from here.
     or v_synced.phase <> 'follow' or current_setting('transaction_isolation') in ('repeatable read', 'serializable')
     -- What waits comes first.
     or exists (
       select from braid_store.row_changes c
       where c.synced_table_id = v_synced.id
         and (c.retry_at is null or c.key in (select r.value -> 'key' from jsonb_array_elements(rows) r))) then
    return false;
  end if;
  v_place := braid_store.sync_place(v_synced.id);
  for v_part in
    select d.tenant, coalesce(jsonb_agg(d.document order by d.external_id) filter (where d.document is not null), '[]') as documents,
           coalesce(array_agg(d.external_id) filter (where d.document is null), '{}') as gone_ids
    from (
      select distinct on (e.tenant, e.external_id) e.tenant, e.external_id,
             e.document || jsonb_build_object('external_id', e.external_id) as document
      from (
        select coalesce(r.value ->> 'tenant', v_place.tenant) as tenant, braid_store.synced_external_id(r.value -> 'key') as external_id,
               nullif(r.value -> 'document', 'null') as document
        from jsonb_array_elements(rows) r
      ) e
      where e.tenant is not null
      order by e.tenant, e.external_id, e.document is null
    ) d
    group by d.tenant
    order by d.tenant
  loop
    perform set_config('braid.tenant', v_part.tenant, true);
    -- The login decides for which tenant it may write. What it may not is left to a worker.
    if (select t.id from braid_store.tenants t where t.key = v_part.tenant) is distinct from braid.current_tenant_id()
       or braid.current_tenant_id() is null or braid_store.session_is_anonymous() then
      perform set_config('braid.tenant', coalesce(v_tenant, ''), true);
      return false;
    end if;
    perform braid_store.apply_part(v_synced, v_place.collection, v_part.documents, v_part.gone_ids);
  end loop;
  perform set_config('braid.tenant', coalesce(v_tenant, ''), true);
  return true;
end
$$;

comment on function braid_store.apply_at_once(int, jsonb) is
  'Brings rows of a statement over in its transaction; false if they are to be noted instead. rows: an array of tenant, key '
  'and, for those that are there after the statement, document.';
