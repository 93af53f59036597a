-- role: service
-- tenants: all
-- Only the owner may grant this function to services. It works for the tenant that the session acts for.
create or replace function braid_store.disown_rows(synced_table_id int, collection_id int, external_ids text[])
returns text[]
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid.current_tenant_id();
  v_gone text[];
begin
  with gone as (
    delete from braid_store.synced_rows r
    where r.tenant_id + 0 = v_tenant_id and r.ctid = any (array(
      select r.ctid
      from unnest(disown_rows.external_ids) u (external_id),
           lateral (
             select r.ctid, r.synced_table_id from braid_store.synced_rows r
             where r.tenant_id = v_tenant_id and r.collection_id = disown_rows.collection_id
               and r.external_id = u.external_id
             offset 0
           ) r
      where r.synced_table_id = disown_rows.synced_table_id))
    returning r.external_id
  )
  select coalesce(array_agg(g.external_id), '{}') into v_gone from gone g;
  return v_gone;
end
$$;

comment on function braid_store.disown_rows(int, int, text[]) is
  'Forget that documents are rows of a synced table; return the external ids of the documents that were.';
