-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.storage_growth
with (security_invoker = true)
as
select s.* from braid_store.list_storage_growth() s;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.storage_growth
for each row execute function braid_store.refuse_view_change('braid.maintain');

comment on view braid.storage_growth is
  'The sizes of tables at the first maintain() of each day, for 400 days. Only administrators, services and monitors '
  'may read it.';
comment on column braid.storage_growth.day is 'The day, in UTC. A day without maintain() is missing.';
comment on column braid.storage_growth.table_name is
  'The table. Tables of one kind share a row: vectors stands for all vector shards.';
comment on column braid.storage_growth.row_bytes is 'The size of its rows in bytes, with values stored out of line.';
comment on column braid.storage_growth.index_bytes is 'The size of its indexes in bytes.';
comment on column braid.storage_growth.byte_count is 'The sum of row_bytes and index_bytes.';
comment on column braid.storage_growth.growth is
  'The increase of byte_count since the previous listed day; null on the first.';
