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

-- As in braid.collections.
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_log
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_log is
  'The searches of the session''s tenant that braid.logged_search has logged. Only writers may call it.';
comment on column braid.search_log.search_id is
  'What record_feedback takes. Begins with the time: in its order, the searches are in theirs.';
comment on column braid.search_log.searched_at is 'When the search ended.';
comment on column braid.search_log.collection is 'The collection that was searched.';
comment on column braid.search_log.login is 'The login that searched; through a gateway, that of the gateway.';
comment on column braid.search_log.mode is
  'full_text, semantic, sparse, hybrid or multi (several queries), as in the stats of the search.';
comment on column braid.search_log.semantic_mode is
  'How vectors were looked for, as in the stats; null without a semantic search.';
comment on column braid.search_log.query_text is
  'The first 1000 characters of the query; of several, one a line. Null if the log does not keep texts.';
comment on column braid.search_log.query_hash is
  'The SHA-256 of these, in lower case and without spaces around; null unless the log keeps hashes in place of texts.';
comment on column braid.search_log.filters is
  'The filters of the search; null if it had none, if the log does not keep texts, or above 2000 bytes.';
comment on column braid.search_log.match_count is 'How many results were asked for.';
comment on column braid.search_log.result_count is 'How many there were.';
comment on column braid.search_log.is_first_page is 'False where a cursor continued an earlier search.';
comment on column braid.search_log.external_ids is
  'The documents of the first 100 results, best first; a document comes once for each of its chunks that was found.';
comment on column braid.search_log.chunk_indexes is 'The chunks of these results, by their places in their documents.';
comment on column braid.search_log.is_underfilled is
  'Whether there were fewer results than asked for although more might match.';
comment on column braid.search_log.warnings is 'The codes of the search''s other warnings.';
comment on column braid.search_log.ranking is
  'The settings of the collection that decide its ranking, as they were, in short.';
comment on column braid.search_log.configuration is
  'What the search asked for besides: weights, fusion, candidates and options; of logged_recall its strategy and '
  'whether there was a timeframe, of logged_multi_search how many queries. Of the options sparse, late_interaction '
  'and profile it only says that they were there.';
comment on column braid.search_log.sample_share is
  'The share of searches that were logged then: each stands for 1 / sample_share.';
comment on column braid.search_log.query_time_ms is 'How long the search took in the database.';
comment on column braid.search_log.compile_ms is 'How much of that was for the query, the filters and the options.';
comment on column braid.search_log.legs_ms is 'How much was for finding candidates.';
comment on column braid.search_log.ranking_ms is 'How much was for fusion, boosts and arrangement.';
comment on column braid.search_log.rows_ms is 'How much was for reading the rows, with passages and snippets.';
