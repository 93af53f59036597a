-- role: service
-- example: braid.maintain(time_budget => '1 second')
-- page: guide/install.md
create or replace function braid.maintain(time_budget interval default null)
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.maintain_all(maintain.time_budget);
$$;

comment on function braid.maintain(interval) is
  E'Do the upkeep that is due, for every tenant: merges the full-text index, moves vectors to where searches find '
  'them fastest, lists values of metadata, indexes attributes declared later, fills the outbox of a model change, '
  'frees the space of what was dropped, counts logged searches and deletes those kept for long enough, and note once '
  'a day how large everything is.\n'
  'Call it every few minutes, from pg_cron or by pgbraid maintain. time_budget: it ends at most a second after this. '
  'A large merge or the index of a vector shard cannot be interrupted, so one is begun only if it fits, by the speed '
  'measured before; else seconds_needed in the result tells the budget it takes. Null, as by default: ends after 10 '
  'seconds, or after one such piece of work that takes longer. Safe at any time and from several sessions; a writer '
  'waits for it a second at most, or so. Tenants that have written nothing cost nothing. Return counts of what it '
  'did, warnings (one for each step that failed; the others are done) and complete (whether nothing is left). For '
  'administrators and services.';
