-- role: administrator
-- example: braid.restore_ranking(collection => 'small', version => braid.set_ranking('small', '{"k1": 4}', 'try'))
-- page: guide/apply-ranking.md
create or replace function braid.restore_ranking(collection text, version int, reason text default null)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.return_to_ranking(collection, version, reason);
$$;

comment on function braid.restore_ranking(text, int, text) is
  E'Return a collection to the ranking of a version that list_rankings shows, for all tenants and from the next '
  'search on.\n'
  'version: the version whose settings to set, all of them, whatever has changed since. reason: why the ranking '
  'changes, for readers of list_rankings.\n'
  'Nothing is lost: this makes a new version, so it can be undone as well. Return the number of the new version, or '
  'of the present version if nothing changes. Only administrators may call it.';
