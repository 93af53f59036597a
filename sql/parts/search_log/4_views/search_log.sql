-- role: writer
-- page: guide/search-log.md
create or replace view braid.search_log
with (security_invoker = true)
as
select l.search_id, l.searched_at, c.name as collection, l.login, l.mode, l.semantic_mode, l.query_text, l.query_hash,
  l.filters,
       l.match_count, l.result_count, l.is_first_page, l.external_ids, l.chunk_indexes, l.is_underfilled, l.warnings,
         l.ranking,
       l.configuration, l.sample_share, l.query_time_ms, l.compile_ms, l.legs_ms, l.ranking_ms, l.rows_ms
from braid_store.search_log l
join braid_store.collections c on c.id = l.collection_id
where l.tenant_id = (select braid.current_tenant_id());

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_log
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_log is
  'The searches of the session''s tenant that braid.logged_search has logged. Only writers may read it.';
comment on column braid.search_log.search_id is
  'The id that record_feedback takes. It begins with the time, so ids sort in the order of the searches.';
comment on column braid.search_log.searched_at is 'The time at which the search ended.';
comment on column braid.search_log.collection is 'The collection that was searched.';
comment on column braid.search_log.login is 'The login that searched; through a gateway, the gateway''s login.';
comment on column braid.search_log.mode is
  'full_text, semantic, sparse, hybrid or multi (several queries), as in the stats of the search.';
comment on column braid.search_log.semantic_mode is
  'The way vectors were searched, as in the stats; null without a semantic search.';
comment on column braid.search_log.query_text is
  'The first 1000 characters of the query; several queries have one line each. Null if the log does not keep texts.';
comment on column braid.search_log.query_hash is
  'The SHA-256 of the query text in lower case and without spaces around it; null unless the log keeps hashes '
  'instead of texts.';
comment on column braid.search_log.filters is
  'The filters of the search; null if there were none, if they exceed 2000 bytes, or if the log does not keep texts.';
comment on column braid.search_log.match_count is 'The number of results asked for.';
comment on column braid.search_log.result_count is 'The number of results.';
comment on column braid.search_log.is_first_page is
  'Whether the search was a first page; false if a cursor continued an earlier search.';
comment on column braid.search_log.external_ids is
  'The documents of the first 100 results, best first; a document is repeated for each of its chunks that was found.';
comment on column braid.search_log.chunk_indexes is 'The chunks of these results, by their place in their documents.';
comment on column braid.search_log.is_underfilled is
  'Whether the search had fewer results than asked for although more might match.';
comment on column braid.search_log.warnings is 'The codes of the search''s other warnings.';
comment on column braid.search_log.ranking is
  'The collection''s ranking settings at the time of the search, in short form.';
comment on column braid.search_log.configuration is
  'The other arguments of the search: weights, fusion, candidates and options. logged_recall adds its strategy and '
  'whether there was a timeframe; logged_multi_search adds the number of queries. For the options '
  'sparse, late_interaction and profile, true is recorded instead of the value. For boosts, true is recorded unless '
  'the log keeps query texts.';
comment on column braid.search_log.sample_share is
  'The share of searches logged at the time: each row stands for 1 / sample_share searches.';
comment on column braid.search_log.query_time_ms is 'The time that the search took in the database, in ms.';
comment on column braid.search_log.compile_ms is 'The time for compiling the query, filters and options, in ms.';
comment on column braid.search_log.legs_ms is 'The time for finding candidates, in ms.';
comment on column braid.search_log.ranking_ms is 'The time for fusion, boosts and arrangement, in ms.';
comment on column braid.search_log.rows_ms is 'The time for reading the rows, with passages and snippets, in ms.';
