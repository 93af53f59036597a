-- tenants: all
create or replace function braid_store.sync_is_outdated(synced_table_id int)
returns boolean
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
  v_relation regclass;
begin
  select s.* into v_synced from braid_store.synced_tables s where s.id = sync_is_outdated.synced_table_id;
  v_relation := braid_store.synced_relation(v_synced.id);
  return coalesce(
    v_synced.phase not in ('lost', 'end') and v_relation is not null
    and (not exists (select from braid_store.collections c where c.id = v_synced.collection_id)
         or v_synced.fixed_tenant_id is not null
            and not exists (select from braid_store.tenants t where t.id = v_synced.fixed_tenant_id)
         or v_synced.columns <> braid_store.synced_columns(v_relation, v_synced.fields)
         or braid_store.storage_has_changed(v_synced.storage, braid_store.synced_storage(v_relation, v_synced.fields))
         -- Rows without a key are not noted, so a key that may be null is a fault.
         or exists (select from pg_attribute a
                    where a.attrelid = v_relation and not a.attnotnull and v_synced.fields -> 'id' ? a.attname)),
    false);
end
$$;

comment on function braid_store.sync_is_outdated(int) is
  'Tell whether a synced table no longer matches its trigger. It does not if columns have other names or types, or '
  'the key may be null. The same holds if rows may have changed without a trigger call, or the collection or tenant '
  'was dropped.';
