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
  E'Do the upkeep that is due, for every tenant: merge segments, move vectors, index attributes, free space.\n'
  'It merges the full-text index, moves vectors to where searches find them fastest, lists metadata values, and '
  'indexes attributes declared later. It fills the outbox of a model change, and frees the space of what was '
  'dropped. It counts logged searches and deletes old ones, and notes once a day how large everything is.\n'
  'Call it every few minutes, from pg_cron or by pgbraid maintain. It is safe at any time and from several sessions; '
  'a writer waits for it about a second at most. Tenants that have written nothing cost nothing.\n'
  'time_budget: how long it may take; it ends at most a second later. Null, the default, ends after 10 seconds, or '
  'after one merge or index that takes longer.\n'
  'A large merge, or the index of a vector shard, cannot be interrupted, so it begins only if it fits. If it does not '
  'fit, seconds_needed in the result tells the budget it takes, within a half. When an index has waited as long as '
  'that, a call with a budget of 10 seconds or more builds it, even if the call then takes longer.\n'
  'Return counts of what it did, warnings (one for each step that failed; the others are done) and complete (whether '
  'nothing is left). Administrators and services may call it.';
