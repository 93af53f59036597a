-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.storage
with (security_invoker = true)
as
select s.* from braid_store.list_storage() s;

-- For the reason given in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.storage
for each row execute function braid_store.refuse_view_change('braid.upsert_documents');

comment on view braid.storage is
  'How much each table of pgbraid takes on the disk, and each of its indexes, now. Only administrators, services and '
  'monitors may call it.';
comment on column braid.storage.table_name is 'A table in the schema braid_store.';
comment on column braid.storage.part is
  'rows, toast (what is stored out of line, with its index), or the name of an index.';
comment on column braid.storage.tenant is
  'Of a vector shard, vectors_1 and so on, whose it is. Null: the table is for all tenants.';
comment on column braid.storage.collection is 'Of a vector shard, the collection.';
comment on column braid.storage.byte_count is 'Its size, with space that is free inside.';
comment on column braid.storage.row_estimate is
  'How many rows, or entries of an index, it has, as the last vacuum or analyze found; null if there was none.';
