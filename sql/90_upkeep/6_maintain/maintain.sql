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
  'Does what is due, of every tenant: merges, vectors moved to where they are found fastest, attributes of chunks that were '
  'stored before these were declared, space freed. Tenants who have written nothing cost nothing. Stops within time_budget '
  'and a second; what cannot be interrupted, a large merge or the index of a vector shard, is begun only if it fits, by '
  'the speed measured before, and else seconds_needed tells the budget that it takes. Without a budget it stops after 10 '
  'seconds, or when the one such thing is done that takes longer. Safe to run at any time and from several sessions; a '
  'writer waits for it no longer than about a second. Returns what it did, with a warning for each step that failed, and '
  'whether nothing is left (complete). For administrators and services: call it from pg_cron or pgbraid maintain.';
