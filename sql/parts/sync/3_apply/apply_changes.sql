-- role: service
-- example: braid.apply_changes(time_budget => '1 second')
-- page: guide/sync.md
create or replace function braid.apply_changes(time_budget interval default '10 seconds')
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.apply_all_changes(apply_changes.time_budget);
$$;

comment on function braid.apply_changes(interval) is
  E'Apply changed rows of all synced tables to their documents, until the time budget is spent.\n'
  'time_budget: when to stop; the changes left wait for the next call.\n'
  'Call it often: pgbraid work and pgbraid maintain do. It reads the tables with the caller''s rights and never '
  'evaluates row-level security. A login must own a table that has row-level security, be a superuser or have '
  'BYPASSRLS. Return how many rows it looked at, how many failed, and how many are left because other transactions '
  'lock their documents. warnings: why rows failed or were left, and which tables could not be read. complete: '
  'whether nothing is left to do now.\n'
  'For services that write.';
