-- role: service
-- tenants: all
create or replace function braid_store.next_synced_rows(
  synced_table_id int,
  reached_tenant_id int,
  reached_id text,
  row_count int,
  out last_tenant_id int,
  out tenant text,
  out external_ids text[]
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  select r.tenant_id into last_tenant_id
  from braid_store.synced_rows r
  where r.synced_table_id = next_synced_rows.synced_table_id
    and (r.tenant_id, r.external_id) > (next_synced_rows.reached_tenant_id, coalesce(next_synced_rows.reached_id, ''))
  order by r.tenant_id, r.external_id
  limit 1;
  tenant := (select t.key from braid_store.tenants t where t.id = last_tenant_id);
  external_ids := array(
    select r.external_id
    from braid_store.synced_rows r
    where r.synced_table_id = next_synced_rows.synced_table_id and r.tenant_id = last_tenant_id
      and (last_tenant_id > next_synced_rows.reached_tenant_id
           or r.external_id > coalesce(next_synced_rows.reached_id, ''))
    order by r.external_id
    limit next_synced_rows.row_count);
end
$$;

comment on function braid_store.next_synced_rows(int, int, text, int) is
  'Return the documents of a synced table that follow the last one reached, all of one tenant. last_tenant_id: null '
  'after the end.';
