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
  'List the functions of the core, and of parts, that call what other parts add, by the manifests of what is installed. What a part '
  'adds to a point has the name of the point and then the part''s; where the point is not installed, nobody calls it.';
