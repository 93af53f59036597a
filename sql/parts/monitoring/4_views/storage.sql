-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.storage
with (security_invoker = true)
as
select s.* from braid_store.list_storage() s;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.storage
for each row execute function braid_store.refuse_view_change('braid.upsert_documents');

comment on view braid.storage is
  'The present disk size of each table of pgbraid and each of its indexes. Only administrators, services and '
  'monitors may read it.';
comment on column braid.storage.table_name is 'A table in the schema braid_store.';
comment on column braid.storage.part is
  'rows, toast (values stored out of line, with their index), or the name of an index.';
comment on column braid.storage.tenant is
  'The tenant of a vector shard (vectors_1 and so on); null for tables of all tenants.';
comment on column braid.storage.collection is 'The collection of a vector shard; null for other tables.';
comment on column braid.storage.byte_count is 'The size in bytes, including free space inside.';
comment on column braid.storage.row_estimate is
  'The number of rows, or of index entries, as found by the last vacuum or analyze; null if there was none.';
