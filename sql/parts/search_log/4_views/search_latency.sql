-- role: writer
-- page: guide/search-log.md
create or replace view braid.search_latency
with (security_invoker = true)
as
with logged as (
  select h.collection_id, (h.hour at time zone 'UTC')::date as day, h.mode, h.semantic_mode, b.bucket, b.calls,
         -- The sums of an hour must count once, not once per bucket.
         case when b.bucket = 1 then h.total_ms end as total_ms, case when b.bucket = 1 then h.square_ms
           end as square_ms,
         h.min_ms, h.max_ms
  from braid_store.search_hours h, lateral unnest(h.histogram) with ordinality b (calls, bucket)
  where h.tenant_id = (select braid.current_tenant_id())
  union all
  -- Add the searches that maintain() has not counted yet.
  select l.collection_id, (l.searched_at at time zone 'UTC')::date, l.mode, coalesce(l.semantic_mode, ''),
         1 + least(greatest(ceil(8 * ln(greatest(l.query_time_ms::float8, 0.001) / 0.125) / ln(2::float8)), 0),
           160)::int, 1,
         l.query_time_ms, l.query_time_ms::float8 ^ 2, l.query_time_ms, l.query_time_ms
  from only braid_store.search_log l
  where l.tenant_id = (select braid.current_tenant_id())
), bucketed as (
  select l.collection_id, l.day, l.mode, l.semantic_mode, l.bucket, sum(l.calls) as calls, sum(l.total_ms) as total_ms,
         sum(l.square_ms) as square_ms, min(l.min_ms) as min_ms, max(l.max_ms) as max_ms
  from logged l
  group by 1, 2, 3, 4, 5
), counted as (
  select b.*, sum(b.calls) over (same order by b.bucket) as calls_so_far, sum(b.calls) over same as all_calls,
         0.125 * 2 ^ ((b.bucket - 1.5) / 8) as middle_ms
  from bucketed b
  window same as (partition by b.collection_id, b.day, b.mode, b.semantic_mode)
)
select b.day, c.name as collection, b.mode, nullif(b.semantic_mode, '') as semantic_mode, sum(b.calls)::bigint as calls,
       sum(b.total_ms) / sum(b.calls)::float8 as mean_ms,
       sqrt(greatest(sum(b.square_ms) / sum(b.calls)::float8 - (sum(b.total_ms) / sum(b.calls)::float8) ^ 2,
         0)) as stddev_ms,
       min(b.min_ms) as min_ms, max(b.max_ms) as max_ms,
       least(greatest(min(b.middle_ms) filter (where b.calls_so_far >= 0.5 * b.all_calls), min(b.min_ms)),
         max(b.max_ms)) as p50_ms,
       least(greatest(min(b.middle_ms) filter (where b.calls_so_far >= 0.95 * b.all_calls), min(b.min_ms)),
         max(b.max_ms)) as p95_ms,
       least(greatest(min(b.middle_ms) filter (where b.calls_so_far >= 0.99 * b.all_calls), min(b.min_ms)),
         max(b.max_ms)) as p99_ms
from counted b
join braid_store.collections c on c.id = b.collection_id
group by b.day, c.name, b.mode, b.semantic_mode;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_latency
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_latency is
  'Times that the logged searches of the session''s tenant took in the database, by day (UTC), collection, mode and '
  'semantic_mode. Only writers may read it.';
comment on column braid.search_latency.day is 'The day (UTC).';
comment on column braid.search_latency.collection is 'The collection that was searched.';
comment on column braid.search_latency.mode is 'full_text, semantic, sparse, hybrid or multi.';
comment on column braid.search_latency.semantic_mode is
  'The way vectors were searched; null without a semantic search.';
comment on column braid.search_latency.calls is 'The number of logged searches.';
comment on column braid.search_latency.mean_ms is 'The mean time of a search in ms.';
comment on column braid.search_latency.stddev_ms is 'The standard deviation of the times in ms.';
comment on column braid.search_latency.min_ms is 'The time of the fastest search in ms.';
comment on column braid.search_latency.max_ms is 'The time of the slowest search in ms.';
comment on column braid.search_latency.p50_ms is 'The median time in ms, within 4.5 %.';
comment on column braid.search_latency.p95_ms is 'The 95th percentile of the times in ms, within 4.5 %.';
comment on column braid.search_latency.p99_ms is 'The 99th percentile of the times in ms, within 4.5 %.';
