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
  E'Say which searches of a collection braid.logged_search logs, what it keeps of them and for how long.\n'
  'log: off (none, as in a new collection), sampled or all. sample_share: what share is logged if sampled, above 0 '
  'and at most 1; at first 0.1. keep_query: of the query and its filters, text keeps both, hash a hash of the '
  'query, nothing neither; at first text. retention: how long a search is kept, 1 to 366 days; at first 30 days. '
  'maintain() then deletes it, with its feedback. Null leaves a setting as it is. What was logged before stays as '
  'it is until it is deleted, also after its document was deleted; it goes with the collection or tenant. Boosts '
  'are kept with text alone. Only administrators may call it.';
