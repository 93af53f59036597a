-- tenants: all
-- Trigger functions call it.
create or replace function braid_store.apply_at_once(synced_table_id int, rows jsonb, open_count int)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
-- A user's statement must not wait for a worker or for maintenance.
set lock_timeout = '100ms'
as $$
declare
  v_synced braid_store.synced_tables;
  v_place record;
  v_tenant text := current_setting('braid.tenant', true);
  v_part record;
  -- v_others maps each row that another modification of the statement has applied to whether the row existed
  -- afterwards.
  v_others jsonb := '{}';
  v_doubtful jsonb := '[]';
  v_setting text := format('braid.brought_%s', apply_at_once.synced_table_id);
begin
  select s.* into strict v_synced from braid_store.synced_tables s where s.id = apply_at_once.synced_table_id;
  if jsonb_array_length(rows) > braid_store.immediate_row_limit()
     -- A worker may be writing documents of these rows that are not to be seen from here.
     or v_synced.phase <> 'follow' or current_setting('transaction_isolation') in ('repeatable read', 'serializable')
     -- Pending changes of these rows are applied first.
     or exists (
       select from braid_store.row_changes c
       where c.synced_table_id = v_synced.id
         and (c.retry_at is null or c.key in (select r.value -> 'key' from jsonb_array_elements(rows) r))) then
    return false;
  end if;
  v_place := braid_store.sync_place(v_synced.id);
  if pg_input_is_valid(current_setting(v_setting, true), 'jsonb') then
    v_others := current_setting(v_setting)::jsonb;
  end if;
  for v_part in
    select d.tenant,
           coalesce(jsonb_agg(d.document order by d.external_id) filter (where d.document is not null),
             '[]') as documents,
           coalesce(array_agg(d.external_id) filter (where d.document is null and not d.is_there_by_other),
             '{}') as gone_ids,
           jsonb_object_agg(d.name, d.document is not null or d.is_there_by_other) as brought,
           coalesce(jsonb_agg(jsonb_build_object('tenant', d.row_tenant, 'key', d.key)) filter (
             where d.document is null and (d.is_there_by_other or open_count < 0)
                or d.document is not null and d.is_gone_by_other), '[]') as doubtful
    from (
      select distinct on (e.tenant, e.external_id) e.tenant, e.external_id, e.row_tenant, e.key, n.name,
             e.document || jsonb_build_object('external_id', e.external_id) as document,
             coalesce((v_others -> n.name) = 'true', false) as is_there_by_other,
             coalesce((v_others -> n.name) = 'false', false) as is_gone_by_other
      from (
        select coalesce(r.value ->> 'tenant', v_place.tenant) as tenant, r.value ->> 'tenant' as row_tenant,
               r.value -> 'key' as key, braid_store.synced_external_id(r.value -> 'key') as external_id,
               nullif(r.value -> 'document', 'null') as document, (r.value -> 'number')::int as number
        from jsonb_array_elements(rows) r
      ) e,
      lateral (select jsonb_build_array(e.tenant, e.external_id)::text as name) n
      where e.tenant is not null
      order by e.tenant, e.external_id, e.number desc
    ) d
    group by d.tenant
    order by d.tenant
  loop
    perform set_config('braid.tenant', v_part.tenant, true);
    if v_part.documents <> '[]' and braid.current_tenant_id() is null and not braid_store.session_is_anonymous() then
      -- Create the tenant, as the first write of a request does. Rows that another login writes for a new tenant are
      -- left to a worker.
      perform braid_store.insert_requested_tenant();
    end if;
    -- The login decides for which tenants it may write. A worker applies the rows of other tenants.
    if (select t.id from braid_store.tenants t where t.key = v_part.tenant) is distinct from braid.current_tenant_id()
       or braid.current_tenant_id() is null or braid_store.session_is_anonymous() then
      perform set_config('braid.tenant', coalesce(v_tenant, ''), true);
      return false;
    end if;
    perform braid_store.apply_part(v_synced, v_place.collection, v_part.documents, v_part.gone_ids);
    v_others := v_others || v_part.brought;
    v_doubtful := v_doubtful || v_part.doubtful;
  end loop;
  -- A worker may be writing documents of these rows, which this snapshot does not see.
  insert into braid_store.row_changes (synced_table_id, tenant, key, retry_at)
  select v_synced.id, d.value ->> 'tenant', d.value -> 'key', clock_timestamp()
  from jsonb_array_elements(v_doubtful) d;
  if open_count > 0 then
    perform set_config(v_setting, v_others::text, true);
  end if;
  perform set_config('braid.tenant', coalesce(v_tenant, ''), true);
  return true;
end
$$;

comment on function braid_store.apply_at_once(int, jsonb, int) is
  E'Apply the rows of a statement in its transaction; return false if they are to be noted instead.\n'
  'rows: an array of objects with tenant, key, document (null if the row is not there after the modification) and '
  'number (the last of a key counts). open_count: the number of other modifications of the same statement with '
  'triggers still to come; negative if unknown because the counting trigger is missing.';
