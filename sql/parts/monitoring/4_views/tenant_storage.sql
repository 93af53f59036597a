-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.tenant_storage
with (security_invoker = true)
as
select s.* from braid_store.list_tenant_storage() s;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.tenant_storage
for each row execute function braid_store.refuse_view_change('braid.upsert_documents');

comment on view braid.tenant_storage is
  'The present data of each tenant in each collection. Only administrators, services and monitors may read it.';
comment on column braid.tenant_storage.tenant is 'The key of the tenant.';
comment on column braid.tenant_storage.collection is 'The name of the collection.';
comment on column braid.tenant_storage.chunk_count is 'The number of chunks.';
comment on column braid.tenant_storage.token_count is
  'The number of words of these chunks in the full-text index, without stop words.';
comment on column braid.tenant_storage.indexed_vector_count is
  'The number of vectors in its vector shards when they were made or last added to.';
comment on column braid.tenant_storage.vector_index_byte_count is
  'The size of the indexes of its vector shards in bytes.';
comment on column braid.tenant_storage.byte_count is
  'The approximate disk size in bytes: its vector shards, and its share of the tables of all tenants, by words and '
  'chunks.';
