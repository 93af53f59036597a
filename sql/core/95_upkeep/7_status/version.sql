-- role: reader
-- standby: no
-- example: braid.version()
-- page: guide/install.md
create or replace function braid.version()
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select i.version from braid_calls.read_installation() i;
$$;

comment on function braid.version() is
  'Return the version of pgbraid that is installed in this database.';
