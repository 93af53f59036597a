create or replace function braid_store.extension_points()
returns setof regprocedure
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select to_regproc(n.name)::regprocedure
  from braid_store.parts s
  cross join jsonb_array_elements_text(s.manifest -> 'points') n (name)
  where to_regproc(n.name) is not null
  order by s.place, n.name
$$;

comment on function braid_store.extension_points() is
  'List the extension points: functions of the core and of parts that call additions of other parts, by the '
  'manifests of the installed parts. An addition is named after its point and its part. If the point is not '
  'installed, nobody calls it.';
