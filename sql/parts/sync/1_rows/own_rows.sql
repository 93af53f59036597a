-- role: service
-- tenants: all
-- Only the owner may grant this function to services. It works for the tenant that the session acts for.
create or replace function braid_store.own_rows(synced_table_id int, collection_id int, external_ids text[])
returns text[]
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid.current_tenant_id();
  v_taken text[];
begin
  insert into braid_store.synced_rows (tenant_id, collection_id, external_id, synced_table_id)
  select distinct v_tenant_id, own_rows.collection_id, u.external_id collate "C", own_rows.synced_table_id
  from unnest(own_rows.external_ids) u (external_id)
  order by 3
  on conflict do nothing;
  v_taken := array(
    select u.external_id
    from unnest(own_rows.external_ids) u (external_id),
         lateral (
           select r.synced_table_id from braid_store.synced_rows r
           where r.tenant_id = v_tenant_id and r.collection_id = own_rows.collection_id
             and r.external_id = u.external_id
           offset 0
         ) r
    where r.synced_table_id <> own_rows.synced_table_id);
  if v_taken = '{}' then
    return v_taken;
  end if;
  -- Take over documents that unsync_table is about to delete, or that a dropped table has left.
  update braid_store.synced_rows r
  set synced_table_id = own_rows.synced_table_id
  where r.tenant_id + 0 = v_tenant_id and r.ctid = any (array(
    select r.ctid
    from unnest(v_taken) u (external_id),
         lateral (
           select r.ctid, r.synced_table_id from braid_store.synced_rows r
           where r.tenant_id = v_tenant_id and r.collection_id = own_rows.collection_id
             and r.external_id = u.external_id
           offset 0
         ) r
    where not exists (
      select from braid_store.synced_tables s
      where s.id = r.synced_table_id and s.phase <> 'end' and braid_store.synced_relation(s.id) is not null)));
  return array(
    select u.external_id
    from unnest(v_taken) u (external_id),
         lateral (
           select r.synced_table_id from braid_store.synced_rows r
           where r.tenant_id = v_tenant_id and r.collection_id = own_rows.collection_id
             and r.external_id = u.external_id
           offset 0
         ) r
    where r.synced_table_id <> own_rows.synced_table_id);
end
$$;

comment on function braid_store.own_rows(int, int, text[]) is
  'Record documents as rows of a synced table; return the external ids of documents that are rows of another table.';
