-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.tenant_growth
with (security_invoker = true)
as
select s.* from braid_store.list_tenant_growth() s;

-- For the reason given in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.tenant_growth
for each row execute function braid_store.refuse_view_change('braid.maintain');

comment on view braid.tenant_growth is
  'How much each tenant had in each collection when maintain() first ran on a day, for 400 days; only days on which '
  'that was another number of chunks, words or vectors than before. Only administrators, services and monitors may '
  'call it.';
comment on column braid.tenant_growth.day is 'The day, in UTC.';
comment on column braid.tenant_growth.tenant is 'The key of the tenant.';
comment on column braid.tenant_growth.collection is 'The collection.';
comment on column braid.tenant_growth.chunk_count is 'How many chunks it had.';
comment on column braid.tenant_growth.token_count is 'How many words of them were in the full-text index.';
comment on column braid.tenant_growth.byte_count is 'About how much of the disk it took, as in braid.tenant_storage.';
comment on column braid.tenant_growth.chunk_growth is
  'How many chunks that is more than on the day listed before; null on the first.';
comment on column braid.tenant_growth.byte_growth is 'How many bytes that is more.';
