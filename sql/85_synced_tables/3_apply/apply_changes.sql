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
  E'Brings changed rows of synced tables over as documents, of all tables, until the time budget is spent.\n'
  'Call it often: pgbraid work and pgbraid maintain do. It reads the tables with the rights of whoever calls it, and '
  'never evaluates row-level security: the login must own a table that has it, or be a superuser or have BYPASSRLS. '
  'Returns how many rows it looked at, how many failed, warnings (one for each table that could not be read) and '
  'complete (whether nothing is left). For services that write.';
