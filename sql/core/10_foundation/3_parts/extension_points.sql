create or replace function braid_store.extension_points()
returns setof regprocedure
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select p.oid::regprocedure
  from pg_proc p
  where p.pronamespace in ('braid_store'::regnamespace, 'braid_calls'::regnamespace)
    and p.proname ^@ 'extend_'
    and not exists (select from braid_store.parts s where right(p.proname, length(s.name) + 1) = '_' || s.name)
  order by p.proname
$$;

comment on function braid_store.extension_points() is
  'Lists the functions of the core that call what parts add: those named extend_, except those of a part, whose names end with '
  'the part''s.';
