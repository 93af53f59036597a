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

-- As in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_hours
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_hours is
  'Logged searches of the session''s tenant by the hour (UTC), as the last maintain() has counted them. They are '
  'kept for 400 days, longer than the searches themselves. Only writers may call it.';
comment on column braid.search_hours.collection is 'The collection that was searched.';
comment on column braid.search_hours.hour is 'When the hour began.';
comment on column braid.search_hours.mode is 'full_text, semantic, sparse, hybrid or multi.';
comment on column braid.search_hours.semantic_mode is 'How vectors were looked for; null without a semantic search.';
comment on column braid.search_hours.calls is 'How many searches were logged.';
comment on column braid.search_hours.estimated_calls is 'How many searches they stand for, if the log takes samples.';
comment on column braid.search_hours.zero_hits is 'How many of them found nothing; later pages do not count.';
comment on column braid.search_hours.underfilled is
  'How many had fewer results than asked for although more might match.';
comment on column braid.search_hours.warned is 'How many had another warning.';
comment on column braid.search_hours.total_ms is 'How long they took together.';
comment on column braid.search_hours.mean_ms is 'How long one took on average.';
comment on column braid.search_hours.stddev_ms is 'The standard deviation of that.';
comment on column braid.search_hours.min_ms is 'How long the fastest took.';
comment on column braid.search_hours.max_ms is 'How long the slowest took.';
comment on column braid.search_hours.compile_ms is 'How much of the total was for queries, filters and options.';
comment on column braid.search_hours.legs_ms is 'How much was for finding candidates.';
comment on column braid.search_hours.ranking_ms is 'How much was for fusion, boosts and arrangement.';
comment on column braid.search_hours.rows_ms is 'How much was for reading the rows.';
comment on column braid.search_hours.histogram is
  'How many took at most 0.125 * 2 ^ ((i - 1) / 8) ms, and longer than the element before says, for each i from 1.';
