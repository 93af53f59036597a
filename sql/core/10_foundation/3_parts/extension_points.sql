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
    -- The name of a point may end as a part's does.
    and not exists (
      select
      from braid_store.parts s
      join pg_proc b on b.pronamespace = p.pronamespace and b.proname ^@ 'extend_' and p.proname = b.proname || '_' || s.name)
  order by p.proname
$$;

comment on function braid_store.extension_points() is
  'Lists the functions of the core that call what parts add: those named extend_, except those of a part, which have '
  'the name of a point and then the part''s.';
