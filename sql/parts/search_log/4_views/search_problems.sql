-- role: writer
-- page: guide/search-log.md
create or replace view braid.search_problems
with (security_invoker = true)
as
select l.searched_at, l.search_id, c.name as collection, l.mode, l.query_text, l.query_hash, l.filters, l.match_count,
       l.result_count,
       array_remove(array[case when l.result_count = 0 and l.is_first_page then 'zero_hits' end,
                          case when l.is_underfilled then 'underfilled' end], null) || l.warnings as problems
from braid_store.search_log l
join braid_store.collections c on c.id = l.collection_id
where l.tenant_id = (select braid.current_tenant_id())
  and (l.result_count = 0 and l.is_first_page or l.is_underfilled or l.warnings <> '{}');

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.search_problems
for each row execute function braid_store.refuse_view_change('braid.logged_search');

comment on view braid.search_problems is
  'Logged searches of the session''s tenant that found nothing, found too little or had warnings. Only writers may '
  'read it.';
comment on column braid.search_problems.searched_at is 'The time at which the search ended.';
comment on column braid.search_problems.search_id is 'The id of the search, as in braid.search_log.';
comment on column braid.search_problems.collection is 'The collection that was searched.';
comment on column braid.search_problems.mode is 'full_text, semantic, sparse, hybrid or multi.';
comment on column braid.search_problems.query_text is 'The query; null if the log does not keep texts.';
comment on column braid.search_problems.query_hash is 'The hash of the query, if the log keeps hashes.';
comment on column braid.search_problems.filters is 'The filters of the search, as in braid.search_log.';
comment on column braid.search_problems.match_count is 'The number of results asked for.';
comment on column braid.search_problems.result_count is 'The number of results.';
comment on column braid.search_problems.problems is
  'The problems: zero_hits (nothing found on the first page), underfilled (too few results, although more might '
  'match), and codes of warnings.';
