-- The first step of the extension's script. PostgreSQL lets a script replace only what belongs to its extension. So
-- this step adds what an installation without the extension has made, and functions that pgbraid made at run time.
declare
  v_is_adopted boolean; -- pgbraid is here, and not by the extension
  v_object text;
begin
  select not exists (select from pg_depend d
                     where d.classid = 'pg_namespace'::regclass and d.objid = n.oid and d.deptype = 'e')
  into v_is_adopted
  from pg_namespace n
  where n.nspname = 'braid_store';
  for v_object in
    with ours as (
      select n.oid from pg_namespace n where n.nspname in ('braid', 'braid_calls', 'braid_store', 'braid_locks')
    ),
    objects (classid, objid) as (
      select 'pg_namespace'::regclass, o.oid from ours o where v_is_adopted
      union all
      select 'pg_class'::regclass, c.oid
      from pg_class c
      where v_is_adopted and c.relnamespace in (select o.oid from ours o) and c.relkind in ('r', 'v', 'S')
        and c.relname !~ '{{grown}}'
      union all
      select 'pg_type'::regclass, c.reltype
      from pg_class c
      where v_is_adopted and c.relnamespace in (select o.oid from ours o) and c.relkind = 'c'
      union all
      select 'pg_proc'::regclass, p.oid
      from pg_proc p
      where (v_is_adopted or p.proname ~ '{{grown}}') and p.pronamespace in (select o.oid from ours o)
    )
    select concat_ws(' ', i.type, i.identity)
    from objects o
    cross join pg_identify_object(o.classid, o.objid, 0) i
    where not exists (select from pg_depend d where d.classid = o.classid and d.objid = o.objid and d.deptype = 'e')
    order by o.classid, o.objid
  loop
    execute 'alter extension pgbraid add ' || v_object;
  end loop;
end
