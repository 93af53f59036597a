-- role: writer
-- page: guide/search-log.md
create or replace view braid.query_statistics
with (security_invoker = true)
as
select c.name as collection, l.query, l.calls, l.estimated_calls, l.zero_hits, l.mean_ms, l.max_ms, l.compile_ms,
  l.legs_ms,
       l.ranking_ms, l.rows_ms, l.first_searched_at, l.last_searched_at
from (
  select l.collection_id,
         -- The result must be the same in every database, whatever its locale.
         coalesce(case when octet_length(l.query_text) = length(l.query_text)
           then lower(btrim(l.query_text) collate "C")
                       else braid_store.token_lower(btrim(l.query_text)) end,
                  'sha256:' || encode(l.query_hash, 'hex')) as query,
         count(*) as calls, sum(1 / l.sample_share) as estimated_calls,
         count(*) filter (where l.result_count = 0 and l.is_first_page) as zero_hits,
         avg(l.query_time_ms) as mean_ms, max(l.query_time_ms)::float8 as max_ms, avg(l.compile_ms) as compile_ms,
         avg(l.legs_ms) as legs_ms, avg(l.ranking_ms) as ranking_ms, avg(l.rows_ms) as rows_ms,
         min(l.searched_at) as first_searched_at, max(l.searched_at) as last_searched_at
  from braid_store.search_log l
  where l.tenant_id = (select braid.current_tenant_id())
  group by 1, 2
) l
join braid_store.collections c on c.id = l.collection_id;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.query_statistics
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.query_statistics is
  'Counts and times of each query of the session''s tenant, over the whole log. Only writers may read it.';
comment on column braid.query_statistics.collection is 'The collection that was searched.';
comment on column braid.query_statistics.query is
  'The query in lower case, or sha256: and its hash if the log keeps hashes. Null for searches by a vector alone, '
  'and for searches whose query the log does not keep.';
comment on column braid.query_statistics.calls is 'The number of logged searches.';
comment on column braid.query_statistics.estimated_calls is
  'The estimated number of searches, extrapolated if the log takes samples.';
comment on column braid.query_statistics.zero_hits is
  'The number of searches without results; later pages do not count.';
comment on column braid.query_statistics.mean_ms is 'The mean time of a search in ms.';
comment on column braid.query_statistics.max_ms is 'The time of the slowest search in ms.';
comment on column braid.query_statistics.compile_ms is
  'The mean time for compiling the query, filters and options, in ms.';
comment on column braid.query_statistics.legs_ms is 'The mean time for finding candidates, in ms.';
comment on column braid.query_statistics.ranking_ms is 'The mean time for fusion, boosts and arrangement, in ms.';
comment on column braid.query_statistics.rows_ms is 'The mean time for reading the rows, in ms.';
comment on column braid.query_statistics.first_searched_at is 'The time of the query''s first search.';
comment on column braid.query_statistics.last_searched_at is 'The time of the query''s last search.';
