-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.storage_growth
with (security_invoker = true)
as
select s.* from braid_store.list_storage_growth() s;

-- For the reason given in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.storage_growth
for each row execute function braid_store.refuse_view_change('braid.maintain');

comment on view braid.storage_growth is
  'How large tables were when maintain() first ran on each day, for 400 days. Only administrators, services and '
  'monitors may call it.';
comment on column braid.storage_growth.day is 'The day, in UTC. Without maintain() on a day, the day is missing.';
comment on column braid.storage_growth.table_name is
  'The table. Those of one kind are one row: vectors stands for all vector shards.';
comment on column braid.storage_growth.row_bytes is 'The size of its rows, with what is stored out of line.';
comment on column braid.storage_growth.index_bytes is 'The size of its indexes.';
comment on column braid.storage_growth.byte_count is 'Both together.';
comment on column braid.storage_growth.growth is
  'How much that is more than on the day before that is listed; null on the first.';
