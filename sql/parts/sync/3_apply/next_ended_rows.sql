-- role: service
-- tenants: all
create or replace function braid_store.next_ended_rows(
  synced_table_id int,
  row_count int,
  reached_tenant_id int,
  out ended_tenant_id int,
  out tenant text,
  out collection text,
  out external_ids text[],
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
  v_tenant_id int;
  v_collection_id int;
  v_count int;
begin
  external_ids := '{}';
  is_complete := false;
  select s.* into v_synced from braid_store.synced_tables s where s.id = next_ended_rows.synced_table_id for update;
  if not found or v_synced.phase not in ('lost', 'end') then
    is_complete := true;
    return;
  end if;
  delete from braid_store.row_changes c
  where c.synced_table_id = v_synced.id
    and c.id = any (array(
      select c.id from braid_store.row_changes c where c.synced_table_id = v_synced.id order by c.id
      limit 10 * next_ended_rows.row_count));
  get diagnostics v_count = row_count;
  if v_count > 0 then
    return;
  elsif v_synced.phase = 'lost' then
    is_complete := true;
    return;
  end if;

  select r.tenant_id, r.collection_id into v_tenant_id, v_collection_id
  from braid_store.synced_rows r
  where r.synced_table_id = v_synced.id and r.tenant_id > next_ended_rows.reached_tenant_id
  order by r.tenant_id
  limit 1;
  if not found then
    -- While triggers exist, more changes may come; stop_sync drops the triggers last.
    if next_ended_rows.reached_tenant_id = 0 and braid_store.synced_relation(v_synced.id) is null then
      execute format('drop function if exists braid_store.note_rows_%s()', v_synced.id);
      delete from braid_store.synced_tables s where s.id = v_synced.id;
    end if;
    is_complete := true;
    return;
  end if;
  ended_tenant_id := v_tenant_id;
  tenant := (select t.key from braid_store.tenants t where t.id = v_tenant_id);
  collection := (select c.name from braid_store.collections c where c.id = v_synced.collection_id);
  if tenant is null or collection is null or v_collection_id <> v_synced.collection_id then
    -- The documents were deleted with the tenant or collection.
    delete from braid_store.synced_rows r
    where r.tenant_id + 0 = v_tenant_id and r.ctid = any (array(
      select r.ctid from braid_store.synced_rows r
      where r.synced_table_id = v_synced.id and r.tenant_id = v_tenant_id and r.collection_id = v_collection_id
      limit 10 * next_ended_rows.row_count));
    return;
  end if;
  external_ids := array(
    select r.external_id from braid_store.synced_rows r
    where r.synced_table_id = v_synced.id and r.tenant_id = v_tenant_id and r.collection_id = v_collection_id
    order by r.external_id
    limit next_ended_rows.row_count);
end
$$;

comment on function braid_store.next_ended_rows(int, int, int) is
  'Return documents of a table that is no longer followed, all of the next tenant after the one reached. If there '
  'are none, delete part of what else is left of the table. is_complete: nothing is left.';
