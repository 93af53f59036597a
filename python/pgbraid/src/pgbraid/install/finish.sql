-- The third step of an installation creates functions, views, policies and grants, then records the installation.
declare
  v_files constant text[] := array[
{{files}}
  ];
  v_migrations constant text[] := array[
{{hashes}}
  ]::text[];
  -- Name, manifest and content hash of what is installed.
  v_parts constant text[] := array[
{{parts}}
  ];
  -- Functions and views of pgbraid, each with a version of its catalog row, which changes with each replacement, also
  -- twice in a transaction. Objects that a superuser or another login put into pgbraid's schemas are not included.
  c_objects constant text := $objects$
    with ours as (
      select n.oid from pg_namespace n where n.nspname in ('braid', 'braid_calls', 'braid_store')
    ),
    roles as (
      select r.oid from pg_roles r where r.rolname like E'braid\\_%'
    )
    select case p.prokind when 'p' then 'procedure' when 'a' then 'aggregate' else 'function' end as kind,
           p.oid::regprocedure::text as name, p.oid || ' ' || p.xmin || ' ' || p.ctid as version
    from pg_proc p
    where p.pronamespace in (select o.oid from ours o) and p.proowner in (select r.oid from roles r)
      -- Trigger functions for users' tables are made per table.
      and p.prorettype <> 'trigger'::regtype
    union all
    select 'view', c.oid::regclass::text, c.oid || ' ' || r.xmin || ' ' || r.ctid
    from pg_class c
    join pg_rewrite r on r.ev_class = c.oid
    where c.relnamespace in (select o.oid from ours o) and c.relkind = 'v' and c.relowner in (select r.oid from roles r)
  $objects$;
  -- Statements that drop the objects not replaced since $1: all of them, or the objects named $2.
  c_drops constant text := format($drops$
    select format('drop %%s %%s', o.kind, string_agg(o.name, ', '))
    from (%s) o
    where o.version = any ($1) and ($2 is null or regexp_replace(o.name, '[(].*$', '') ~ ('[.]' || $2 || '$'))
    group by o.kind
    order by array_position('{view,procedure,aggregate,function}', o.kind)
  $drops$, c_objects);
  c_type constant text := 'create type '; -- how a type's file begins
  v_before text[];
  v_types regtype[];
  v_type text;
  v_is_declared boolean; -- the catalog has the types of sql/ as their files define them
  v_drop text;
  v_row text[];
  v_is_complete boolean; -- all functions and views have been replaced
  v_text text;
  v_vector text;
  -- `create or replace` keeps prepared statements and dependent objects, but cannot change a result or an argument's
  -- name. So try 1 replaces all files. Try 2 drops an object that its file cannot replace. Try 3 drops everything, if
  -- other functions, views or policies depend on the object. Removing or adding a part stops at try 1, and so drops
  -- nothing of other parts.
  c_tries constant int := {{tries}};
  c_adds constant boolean := {{adds}}; -- add parts to an installation that stays as it is
  v_try int := 1;
begin
  select '"' || replace(n.nspname, '"', '""') || '"' into v_vector
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'vector';
  -- Only its own script adds to an extension. A restored dump would create other additions a second time.
  if not {{extension}} and exists (select from pg_extension e where e.extname = 'pgbraid')
     and exists (select
                 from (select v_parts[i][1], v_parts[i][3] from generate_subscripts(v_parts, 1) i) w (name, hash)
                 full join braid_store.parts p on (p.name, p.content_hash) = (w.name, w.hash)
                 where p.name is null or w.name is null and not c_adds) then
    raise exception 'pgbraid is an extension in this database, of another version or with other parts'
      using errcode = '55000',
            hint = 'Upgrade it by: alter extension pgbraid update; its parts are chosen when its files are written: '
                   'pgbraid bundle --extension FOLDER';
  end if;
  -- A body may call what a later file creates.
  perform set_config('check_function_bodies', 'off', true);
  delete from braid_store.parts p
  where not c_adds or p.name = any (array(select v_parts[i][1] from generate_subscripts(v_parts, 1) i));
  insert into braid_store.parts (name, place, manifest, content_hash)
  select v_parts[i][1], i + (select coalesce(max(p.place), 0) from braid_store.parts p), v_parts[i][2]::jsonb,
    v_parts[i][3]
  from generate_subscripts(v_parts, 1) i;
  if c_adds then
    -- Orders the parts as one installation of all would: each part after the parts that it needs.
    update braid_store.parts p set place = -p.place where true;
    for v_place in 1 .. (select count(*) from braid_store.parts) loop
      update braid_store.parts p
      set place = v_place
      where p.name = (
        select min(o.name collate "C")
        from braid_store.parts o
        where o.place < 0
          and not exists (select from braid_store.parts n
                          where n.place < 0 and n.name <> o.name and (n.name = 'core'
                            or o.manifest -> 'needs' ? n.name)));
    end loop;
  end if;
  loop
    begin
      execute format('select array(select o.version from (%s) o)', c_objects) into v_before;
      v_is_complete := c_adds;
      if v_try = 3 then
        v_file := 'dropping';
        for v_drop in
          select format('drop policy %I on %s', p.polname, c.oid::regclass)
          from pg_policy p
          join pg_class c on c.oid = p.polrelid
          join pg_namespace n on n.oid = c.relnamespace
          where n.nspname in ('braid', 'braid_calls', 'braid_store')
        loop
          execute v_drop;
        end loop;
        for v_drop in execute c_drops using v_before, null::text loop
          execute v_drop;
        end loop;
      end if;
      -- There is no `create or replace type`. If a type differs from its file, all types are dropped and created again,
      -- and the functions that take or return them. No table has these types.
      foreach v_row slice 1 in array v_files loop
        continue when not v_row[2] ^@ c_type;
        v_file := 'sql/' || v_row[1];
        v_type := substring(v_row[2] from '^create type ([^ ]+)');
        v_is_declared := to_regtype(v_type) is not null;
        exit when not v_is_declared;
        execute replace(replace(v_row[2], 'create type ' || v_type || ' ', 'create type braid_store.declared_type '),
                        '@vector@', v_vector);
        select count(distinct t.attributes) = 1 into v_is_declared
        from (
          select array_agg((a.attname, a.atttypid, a.atttypmod, a.attcollation)::text order by a.attnum) as attributes
          from pg_type t
          join pg_attribute a on a.attrelid = t.typrelid and not a.attisdropped
          where t.oid in (to_regtype(v_type), to_regtype('braid_store.declared_type'))
          group by t.oid
        ) t;
        drop type braid_store.declared_type;
        exit when not v_is_declared;
      end loop;
      if not v_is_declared then
        select array_agg(to_regtype(f.type)) filter (where to_regtype(f.type) is not null) into v_types
        from (select substring(v_files[i][2] from '^create type ([^ ]+)') as type
              from generate_subscripts(v_files, 1) i) f;
        select 'drop function ' || string_agg(distinct d.objid::regprocedure::text, ', ') into v_drop
        from pg_depend d
        join pg_type t on t.oid = d.refobjid
        join pg_proc p on p.oid = d.objid
        where d.classid = 'pg_proc'::regclass and d.refclassid = 'pg_type'::regclass
          and (t.oid = any (v_types) or t.typelem = any (v_types)) and p.pronamespace = 'braid_store'::regnamespace;
        foreach v_drop in array array_remove(array[v_drop, 'drop type ' || array_to_string(v_types, ', ')], null) loop
          execute v_drop;
        end loop;
      end if;
      foreach v_row slice 1 in array v_files loop
        continue when v_is_declared and v_row[2] ^@ c_type;
        -- Privileges are set on every object, so objects that were not replaced must be dropped before.
        if v_row[1] ^@ '{{privileges}}' and not v_is_complete then
          for v_drop in execute c_drops using v_before, null::text loop
            execute v_drop;
          end loop;
          v_is_complete := true;
        end if;
        v_file := 'sql/' || v_row[1];
        v_text := replace(replace(replace(v_row[2], '@owner@', v_owner), '@definer@', v_definer), '@vector@', v_vector);
        if v_try <> 2 then
          execute v_text;
          continue;
        end if;
        begin
          execute v_text;
        exception when invalid_function_definition or invalid_table_definition then
          for v_drop in execute c_drops using v_before, regexp_replace(v_row[1], '^.*/|[.]sql$', '', 'g') loop
            execute v_drop;
          end loop;
          execute v_text;
        end;
      end loop;
      exit;
    exception when invalid_function_definition or invalid_table_definition or dependent_objects_still_exist then
      get stacked diagnostics v_state = returned_sqlstate;
      if v_try >= c_tries then
        raise;
      end if;
      v_try := case when v_state = '2BP01' then 3 else v_try + 1 end;
    end;
  end loop;
  v_file := null;

  insert into braid_store.installation (version)
  select '{{version}}'
  where not exists (select from braid_store.installation);
  update braid_store.installation i
  set version = '{{version}}',
      migrations = case when c_adds then i.migrations else '{}' end
        || (select coalesce(jsonb_object_agg(v_migrations[n][1], v_migrations[n][2]), '{}')
            from generate_subscripts(v_migrations, 1) n),
      placeholders = jsonb_build_object('owner', v_owner, 'definer', v_definer, 'vector', v_vector),
      extension_hashes = (
        select coalesce(jsonb_object_agg(p.pronamespace::regnamespace || '.' || p.proname,
          encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex')), '{}')
        from braid_store.extension_points() e
        join pg_proc p on p.oid = e),
      installed_at = clock_timestamp()
  where i.only_row;
  notify pgrst, 'reload schema';
end
