-- role: service, monitor
-- page: guide/monitoring.md#what-waits
create or replace view braid.search_activity
with (security_invoker = true)
as
select a.* from braid_store.list_search_activity() a;

-- For the reason given in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_activity
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_activity is
  'Logged searches of all tenants together, by the hour (UTC), of the last two days, as maintain() has counted them. '
  'Only administrators, services and monitors may call it.';
comment on column braid.search_activity.hour is 'When the hour began.';
comment on column braid.search_activity.collection is 'The collection that was searched.';
comment on column braid.search_activity.mode is 'full_text, semantic, sparse, hybrid or multi.';
comment on column braid.search_activity.calls is 'How many searches were logged.';
comment on column braid.search_activity.estimated_calls is
  'How many searches they stand for, if the log takes samples.';
comment on column braid.search_activity.zero_hits is 'How many of them found nothing.';
comment on column braid.search_activity.underfilled is
  'How many had fewer results than asked for although more might match.';
comment on column braid.search_activity.warned is 'How many had another warning.';
comment on column braid.search_activity.mean_ms is 'How long one took on average.';
comment on column braid.search_activity.p50_ms is 'The median, to 4.5 %.';
comment on column braid.search_activity.p95_ms is 'How long 95 % of them took at most, to 4.5 %.';
comment on column braid.search_activity.p99_ms is 'How long 99 % of them took at most, to 4.5 %.';
