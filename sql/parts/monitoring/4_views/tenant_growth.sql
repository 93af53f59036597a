-- role: service, monitor
-- page: guide/monitoring.md#how-much-disk-does-it-take
create or replace view braid.tenant_growth
with (security_invoker = true)
as
select s.* from braid_store.list_tenant_growth() s;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.tenant_growth
for each row execute function braid_store.refuse_view_change('braid.maintain');

comment on view braid.tenant_growth is
  'The data of each tenant in each collection at the first maintain() of a day, for 400 days. Days are left out if '
  'the numbers of chunks, words and vectors are unchanged. Only administrators, services and monitors may read it.';
comment on column braid.tenant_growth.day is 'The day, in UTC.';
comment on column braid.tenant_growth.tenant is 'The key of the tenant.';
comment on column braid.tenant_growth.collection is 'The name of the collection.';
comment on column braid.tenant_growth.chunk_count is 'The number of chunks.';
comment on column braid.tenant_growth.token_count is 'The number of words of these chunks in the full-text index.';
comment on column braid.tenant_growth.byte_count is 'The approximate disk size in bytes, as in braid.tenant_storage.';
comment on column braid.tenant_growth.chunk_growth is
  'The increase of chunk_count since the previous listed day; null on the first.';
comment on column braid.tenant_growth.byte_growth is
  'The increase of byte_count since the previous listed day; null on the first.';
