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
  'Does the merges that are due, of every tenant, moves vectors to where they are found fastest, indexes the attributes of '
  'chunks that were stored before these were declared, and frees space, until nothing is left or the time budget is spent; '
  'safe to run at any time and from several sessions. A writer waits for it no longer than about a second. Returns what it '
  'did, with a warning for each step that failed, and whether nothing is left (complete). For administrators: call it from '
  'pg_cron or pgbraid maintain.';
