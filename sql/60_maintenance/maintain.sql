create or replace function braid.maintain(time_budget interval default '10 seconds')
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
  'Does the merges that are due, of every tenant, and indexes the attributes of chunks that were stored before these were '
  'declared, until nothing is left or the time budget is spent; safe to run at any time and from several sessions. Returns what it did. For administrators: call it from pg_cron or pgbraid maintain.';
