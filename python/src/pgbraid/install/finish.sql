-- The second part of an installation, behind the migrations: functions, views, policies and grants; then what is
-- installed is recorded.
declare
  v_files constant text[] := array[
{{files}}
  ];
  v_migrations constant text[] := array[
{{hashes}}
  ];
  v_row text[];
  v_file text;
  v_text text;
  v_owner text;
  v_definer text;
  v_vector text;
  v_before jsonb;
  v_drop text;
  -- `create or replace` keeps what sessions have prepared and others have built, but cannot change a result or the name
  -- of an argument. So it is tried for all files (1); then what a file cannot replace is dropped for it (2); and if other
  -- functions, views or policies hold on to that, all of them (3).
  v_try int := 1;
  v_state text;
  v_message text;
  v_detail text;
  v_hint text;
begin
  select n.* into v_owner, v_definer
  from (
{{roles}}
  ) n;
  select '"' || replace(n.nspname, '"', '""') || '"' into v_vector
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'vector';
  -- A body may call what a later file creates.
  perform set_config('check_function_bodies', 'off', true);
  loop
    begin
      v_file := 'dropping';
      if v_try = 3 then
        for v_drop in
{{policies}}
        loop
          execute 'drop ' || v_drop;
        end loop;
        for v_drop in
          select format('drop %s %s', k.kind, string_agg(substr(o.name, length(k.kind) + 2), ', '))
          from (
{{objects}}
          ) o (name, oid, version)
          join (values (1, 'view'), (2, 'procedure'), (3, 'aggregate'), (4, 'function')) k (place, kind)
            on starts_with(o.name, k.kind || ' ')
          group by k.place, k.kind
          order by k.place
        loop
          execute v_drop;
        end loop;
      end if;
      select coalesce(jsonb_object_agg(o.name || ' ' || o.oid, o.version), '{}') into v_before
      from (
{{objects}}
      ) o (name, oid, version);
      foreach v_row slice 1 in array v_files loop
        -- The last layer writes to every object, so what has not been replaced must be found before it.
        if v_row[1] like '99_privileges/%' and v_file not like '%/99_privileges/%' then
          for v_drop in
            select format('drop %s %s', k.kind, string_agg(substr(o.name, length(k.kind) + 2), ', '))
            from (
{{objects}}
            ) o (name, oid, version)
            join (values (1, 'view'), (2, 'procedure'), (3, 'aggregate'), (4, 'function')) k (place, kind)
              on starts_with(o.name, k.kind || ' ')
            where v_before ->> (o.name || ' ' || o.oid) = o.version
            group by k.place, k.kind
            order by k.place
          loop
            execute v_drop;
          end loop;
        end if;
        v_file := 'sql/' || v_row[1];
        v_text := replace(replace(replace(v_row[2], '@owner@', v_owner), '@definer@', v_definer), '@vector@', v_vector);
        if v_try = 2 then
          begin
            execute v_text;
          exception when invalid_function_definition or invalid_table_definition then
            for v_drop in
              select 'drop ' || o.name
              from (
{{objects}}
              ) o (name, oid, version)
              where v_before ->> (o.name || ' ' || o.oid) = o.version
                and regexp_replace(o.name, '[(].*$', '') ~ ('[.]' || regexp_replace(v_row[1], '^.*/|[.]sql$', '', 'g') || '$')
            loop
              execute v_drop;
            end loop;
            execute v_text;
          end;
        else
          execute v_text;
        end if;
      end loop;
      exit;
    exception
      when invalid_function_definition or invalid_table_definition or dependent_objects_still_exist then
        get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_detail = pg_exception_detail;
        if v_try = 3 and v_state = '2BP01' then
          raise exception 'objects outside of pgbraid depend on functions or views that change: %', v_detail
            using errcode = v_state, hint = 'Drop them, run pgbraid upgrade, and create them again.';
        elsif v_try = 3 then
          raise exception '%: %', v_file, v_message using errcode = v_state, hint = 'Nothing has been changed.';
        end if;
        v_try := case when v_state = '2BP01' then 3 else v_try + 1 end;
      when others then
        get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint;
        raise exception '%: %', v_file, v_message
          using errcode = v_state, hint = coalesce(nullif(v_hint, ''), 'Nothing has been changed.');
    end;
  end loop;

  insert into braid_store.installation (version, content_hash, migrations, placeholders)
  values ('{{version}}', '{{content_hash}}',
          (select jsonb_object_agg(v_migrations[i][1], v_migrations[i][2]) from generate_subscripts(v_migrations, 1) i),
          jsonb_build_object('owner', v_owner, 'definer', v_definer, 'vector', v_vector))
  on conflict (only_row) do update
    set version = excluded.version, content_hash = excluded.content_hash, migrations = excluded.migrations,
        placeholders = excluded.placeholders, installed_at = clock_timestamp();
  notify pgrst, 'reload schema';
end
