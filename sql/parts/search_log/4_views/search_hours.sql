-- role: writer
-- page: guide/search-log.md
create or replace view braid.search_hours
with (security_invoker = true)
as
select c.name as collection, h.hour, h.mode, nullif(h.semantic_mode, '') as semantic_mode, h.calls, h.estimated_calls,
       h.zero_hits, h.underfilled, h.warned, h.total_ms, h.total_ms / h.calls as mean_ms,
       sqrt(greatest(h.square_ms / h.calls - (h.total_ms / h.calls) ^ 2, 0)) as stddev_ms, h.min_ms, h.max_ms,
       h.compile_ms, h.legs_ms, h.ranking_ms, h.rows_ms, h.histogram
from braid_store.search_hours h
join braid_store.collections c on c.id = h.collection_id
where h.tenant_id = (select braid.current_tenant_id());

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_hours
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_hours is
  'Logged searches of the session''s tenant by the hour (UTC), as counted by the last maintain(). The counts are '
  'kept for 400 days, longer than the searches themselves. Only writers may read it.';
comment on column braid.search_hours.collection is 'The collection that was searched.';
comment on column braid.search_hours.hour is 'The start of the hour.';
comment on column braid.search_hours.mode is 'full_text, semantic, sparse, hybrid or multi.';
comment on column braid.search_hours.semantic_mode is 'The way vectors were searched; null without a semantic search.';
comment on column braid.search_hours.calls is 'The number of logged searches.';
comment on column braid.search_hours.estimated_calls is
  'The estimated number of searches, extrapolated if the log takes samples.';
comment on column braid.search_hours.zero_hits is 'The number of searches without results; later pages do not count.';
comment on column braid.search_hours.underfilled is
  'The number of searches with fewer results than asked for although more might match.';
comment on column braid.search_hours.warned is 'The number of searches with another warning.';
comment on column braid.search_hours.total_ms is 'The sum of the times of all searches in ms.';
comment on column braid.search_hours.mean_ms is 'The mean time of a search in ms.';
comment on column braid.search_hours.stddev_ms is 'The standard deviation of the times in ms.';
comment on column braid.search_hours.min_ms is 'The time of the fastest search in ms.';
comment on column braid.search_hours.max_ms is 'The time of the slowest search in ms.';
comment on column braid.search_hours.compile_ms is 'The total time for compiling queries, filters and options, in ms.';
comment on column braid.search_hours.legs_ms is 'The total time for finding candidates, in ms.';
comment on column braid.search_hours.ranking_ms is 'The total time for fusion, boosts and arrangement, in ms.';
comment on column braid.search_hours.rows_ms is 'The total time for reading the rows, in ms.';
comment on column braid.search_hours.histogram is
  'The number of searches in each class of times, from 1. Class i holds times of at most '
  '0.125 * 2 ^ ((i - 1) / 8) ms, and above the limit of the class before.';
