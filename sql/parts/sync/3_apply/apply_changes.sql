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
  E'Bring changed rows of synced tables over as documents, of all tables, until the time budget is spent.\n'
  'time_budget: when to stop; changes that are left wait for the next call.\n'
  'Call it often: pgbraid work and pgbraid maintain do. It reads the tables with the rights of whoever calls it, '
  'and never evaluates row-level security: the login must own a table that has it, or be a superuser or have '
  'BYPASSRLS. Returns how many rows it looked at, how many failed, how many are left as other transactions lock '
  'their documents, warnings (why rows failed or were left, and which tables could not be read) and complete '
  '(whether nothing is left to be done now). For services that write.';
