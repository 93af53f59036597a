create or replace function braid_store.listed_functions(list text)
returns setof regprocedure
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select p.oid::regprocedure
  from pg_proc p
  where p.pronamespace in ('braid'::regnamespace, 'braid_calls'::regnamespace, 'braid_store'::regnamespace)
    and exists (select from braid_store.parts s
                where s.manifest #> array['functions', list] ? (p.pronamespace::regnamespace || '.' || p.proname))
  order by p.oid
$$;

comment on function braid_store.listed_functions(text) is
  'List the functions of the core and of the parts whose files let a role run them: reader, writer, definer, '
  'administrator, service, monitor or gateway. The role all_tenants lists functions that act across tenants.';
