-- role: administrator
-- example: braid.set_search_log(collection => 'small')
-- page: guide/search-log.md
create or replace function braid.set_search_log(
  collection text,
  log text default 'all',
  sample_share float8 default null,
  keep_query text default null,
  retention interval default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_search_log(
    set_search_log.collection, set_search_log.log, set_search_log.sample_share, set_search_log.keep_query,
    set_search_log.retention);
$$;

comment on function braid.set_search_log(text, text, float8, text, interval) is
  E'Set which searches of a collection braid.logged_search logs, what it keeps of them and for how long.\n'
  'log: takes off (none, as in a new collection), sampled or all. sample_share: the share of searches to log if '
  'sampled, above 0 and at most 1; initially 0.1. keep_query: keeps text, hash or nothing; initially text. With '
  'text, the query and its filters are kept; with hash, only a hash of the query. retention: how long a search is '
  'kept, 1 to 366 days, in whole days, rounded up; initially 30 days.\n'
  'Null leaves a setting as it is. maintain() deletes searches past their retention, with their feedback. Logged '
  'searches are unaffected by new settings, and by the deletion of a document. They are deleted with the collection '
  'or tenant. Boosts are only kept with text. Only administrators may call it.';
