-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.tenant_storage
with (security_invoker = true)
as
select s.* from braid_store.list_tenant_storage() s;

-- For the reason given in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.tenant_storage
for each row execute function braid_store.refuse_view_change('braid.upsert_documents');

comment on view braid.tenant_storage is
  'How much each tenant has in each collection, now. Only administrators, services and monitors may call it.';
comment on column braid.tenant_storage.tenant is 'The key of the tenant.';
comment on column braid.tenant_storage.collection is 'The collection.';
comment on column braid.tenant_storage.chunk_count is 'How many chunks it has.';
comment on column braid.tenant_storage.token_count is
  'How many words of them are in the full-text index, stop words not counted.';
comment on column braid.tenant_storage.indexed_vector_count is
  'How many vectors its vector shards held when they were made or last added to.';
comment on column braid.tenant_storage.vector_index_byte_count is 'The size of the indexes of these shards.';
comment on column braid.tenant_storage.byte_count is
  'About how much of the disk it takes: its vector shards, and its share of tables that tenants have in common, by '
  'words and chunks.';
