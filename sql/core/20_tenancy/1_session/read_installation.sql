-- role: reader
create or replace function braid_calls.read_installation()
returns setof braid_store.installation
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select i.*
  from braid_store.installation i
  where braid_calls.login_is_known();
$$;

comment on function braid_calls.read_installation() is
  'Returns which version is installed, with its migrations: one row, or none for a login that login_is_known() does not '
  'know.';
