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
  E'Record feedback on a result of a logged search.\n'
  'search_id: the id that braid.logged_search returns in stats. external_id: names one of its results. kind: takes '
  'click, used_in_answer, dwell or rating. value: for dwell, the seconds viewed (0 to 86400; the greatest is kept); '
  'for rating, -10 to 10 (the last is kept); null for other kinds.\n'
  'Return true if the feedback is new, false if it was known: repeated feedback counts once. Raise 42704 if the '
  'search is not, or no longer, in the tenant''s log. If a search has more than 100 results, feedback on any '
  'document is accepted, up to 1000 rows per search for documents beyond the first 100.';
