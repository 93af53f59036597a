-- role: service, monitor
-- page: guide/monitoring.md#what-waits
create or replace view braid.search_activity
with (security_invoker = true)
as
select a.* from braid_store.list_search_activity() a;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_activity
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_activity is
  'Logged searches of all tenants together by the hour (UTC) over the last two days, as counted by maintain(). Only '
  'administrators, services and monitors may read it.';
comment on column braid.search_activity.hour is 'The start of the hour.';
comment on column braid.search_activity.collection is 'The collection that was searched.';
comment on column braid.search_activity.mode is 'full_text, semantic, sparse, hybrid or multi.';
comment on column braid.search_activity.calls is 'The number of logged searches.';
comment on column braid.search_activity.estimated_calls is
  'The estimated number of searches, extrapolated if the log takes samples.';
comment on column braid.search_activity.zero_hits is 'The number of searches without results.';
comment on column braid.search_activity.underfilled is
  'The number of searches with fewer results than asked for although more might match.';
comment on column braid.search_activity.warned is 'The number of searches with another warning.';
comment on column braid.search_activity.mean_ms is 'The mean time of a search in ms.';
comment on column braid.search_activity.p50_ms is 'The median time in ms, within 4.5 %.';
comment on column braid.search_activity.p95_ms is 'The 95th percentile of the times in ms, within 4.5 %.';
comment on column braid.search_activity.p99_ms is 'The 99th percentile of the times in ms, within 4.5 %.';
