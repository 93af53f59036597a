-- role: service
-- tenants: all
create or replace function braid_store.sync_place(synced_table_id int, out collection text, out tenant text)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
begin
  select s.* into strict v_synced from braid_store.synced_tables s where s.id = sync_place.synced_table_id;
  collection := (select c.name from braid_store.collections c where c.id = v_synced.collection_id);
  tenant := (select t.key from braid_store.tenants t where t.id = v_synced.fixed_tenant_id);
  if collection is null or tenant is null and v_synced.fixed_tenant_id is not null then
    raise exception 'the % of table "%" was dropped', case when collection is null then 'collection' else 'tenant' end,
                    v_synced.table_name
      using errcode = '42704', hint = 'Call braid.unsync_table, or call braid.sync_table again with a collection '
                                      'and a tenant that exist.';
  end if;
end
$$;

comment on function braid_store.sync_place(int) is
  'Return the collection of a synced table, and the tenant of all its rows; the tenant is null if each row names its '
  'own.';
