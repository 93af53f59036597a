-- role: service
-- tenants: all
create or replace function braid_store.stored_rows(synced_table_id int, tenant text, external_ids text[])
returns table (external_id text, content_hash bytea, attribute_hash bytea)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select u.external_id, d.content_hash, d.attribute_hash
  from braid_store.synced_tables s
  join braid_store.tenants t on t.key = stored_rows.tenant
  cross join unnest(stored_rows.external_ids) u (external_id)
  cross join lateral (
    select from braid_store.synced_rows r
    where r.tenant_id = t.id and r.collection_id = s.collection_id and r.external_id = u.external_id
      and r.synced_table_id = s.id
    offset 0
  ) r
  cross join lateral (
    select d.content_hash, d.attribute_hash from braid_store.documents d
    where d.tenant_id = t.id and d.collection_id = s.collection_id and d.external_id = u.external_id
    offset 0
  ) d
  where s.id = stored_rows.synced_table_id;
end
$$;

comment on function braid_store.stored_rows(int, text, text[]) is
  'Return the documents of these ids that are stored as rows of a synced table, with their hashes.';
