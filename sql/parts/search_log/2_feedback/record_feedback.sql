-- role: reader
-- example: braid.record_feedback(search_id => braid.logged_search('discount', collection => 'small') #>>
--   '{stats,search_id}', external_id => 'doc1', kind => 'click')
-- page: guide/search-log.md
create or replace function braid.record_feedback(search_id text, external_id text, kind text, value float8 default null)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.write_feedback(search_id, external_id, kind, value);
$$;

comment on function braid.record_feedback(text, text, text, float8) is
  E'Tell what became of a result of a logged search.\n'
  'search_id: from the stats of braid.logged_search. external_id: one of its results. kind: click, used_in_answer, '
  'dwell or rating. value: for dwell the seconds that the result was looked at, 0 to 86400, of which the greatest '
  'is kept; for rating -10 to 10, of which the last is kept; click and used_in_answer take none. Return true if '
  'that is new, false if it was known: feedback that is sent twice counts once. Raise 42704 if the search is not in '
  'the tenant''s log, or not any more. For a search with more than 100 results, feedback on any document is taken, '
  'and at most 1000 on documents that are not among the first 100.';
