-- pgbraid {{version}}: hybrid search in PostgreSQL, for Supabase's SQL editor.
--
-- Paste all of it and run it. It is one statement, so that all of it is done or nothing; running it again changes
-- nothing, and over an older version it upgrades. `pgbraid upgrade` goes on from it.
do $braid_bundle$
declare
  -- Which schemas the Data API exposes now, such as 'public, graphql_public': braid is added to them. Left empty, add
  -- braid in the dashboard, under Project Settings, Data API, Exposed schemas; SQL cannot see what is chosen there.
  v_exposed text := '';

  v_version constant text := '{{version}}';
  v_digest constant text := '{{digest}}';
  v_foundation constant text[] := array[
{{foundation}}
  ];
  v_migrations constant text[] := array[
{{migrations}}
  ];
  v_files constant text[] := array[
{{files}}
  ];

  v_settings jsonb;
  v_row text[];
  v_file text := 'bundle';
  v_role text;
  v_owner text;
  v_definer text;
  v_vector_schema text;
  v_vector_quoted text;
  v_vector_version text;
  v_installed text;
  v_before jsonb;
  v_afresh boolean := false;
  v_stale text;
  v_message text;
  v_hint text;
  v_state text;
begin
  select jsonb_object_agg(name, setting) into v_settings
  from pg_catalog.pg_settings
  where name in ('search_path', 'lock_timeout', 'client_min_messages', 'check_function_bodies');
  -- An object planted in another schema of the path could be called with the installer's rights.
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
          pg_catalog.set_config('lock_timeout', '30s', true),
          pg_catalog.set_config('client_min_messages', 'warning', true);

  if current_setting('server_version_num')::int < 160000 then
    raise exception 'the server is PostgreSQL %; pgbraid needs 16 or newer', current_setting('server_version')
      using errcode = '0A000', hint = 'Upgrade the project''s PostgreSQL.';
  end if;
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'the database''s encoding is %; pgbraid needs UTF8', current_setting('server_encoding')
      using errcode = '0A000', hint = 'Create the database with encoding UTF8.';
  end if;
  perform pg_advisory_xact_lock({{lock_key}});

  -- pgvector
  if not exists (select from pg_extension where extname = 'vector') then
    if exists (select from pg_namespace where nspname = 'extensions') then
      create extension vector schema extensions;
    else
      create extension vector schema public;
    end if;
  end if;
  select e.extversion, n.nspname into v_vector_version, v_vector_schema
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'vector';
  v_vector_quoted := '"' || replace(v_vector_schema, '"', '""') || '"';
  if array(select part::int from string_to_table(v_vector_version, '.') part where part ~ E'^\\d+$') < '{0,8}' then
    raise exception 'the database has pgvector %; pgbraid needs 0.8 or newer', v_vector_version
      using errcode = '0A000', hint = 'Run: alter extension vector update;';
  end if;

  -- The two roles that are this database's own.
  select n.* into v_owner, v_definer
  from (
{{roles}}
  ) n;

  begin
    foreach v_row slice 1 in array v_foundation loop
      v_file := v_row[1];
      execute replace(replace(v_row[2], '@owner@', v_owner), '@definer@', v_definer);
    end loop;

    -- A newer version may have changed what this one relies on.
    v_file := 'bundle';
    if exists (select from pg_class c where c.relnamespace = 'braid_store'::regnamespace
               and c.relname = 'installation') then
      select i.version into v_installed from braid_store.installation i;
      if array(select part::int from string_to_table(v_installed, '.') part where part ~ E'^\\d+$')
           > array(select part::int from string_to_table(v_version, '.') part where part ~ E'^\\d+$')
         or exists (select from braid_store._yoyo_migration m
                    where m.migration_id <> all (array(select v_migrations[i][1]
                                                       from generate_subscripts(v_migrations, 1) i))) then
        raise exception 'the database has pgbraid %, which is newer than this bundle, %', v_installed, v_version
          using errcode = '0A000', hint = 'Use the bundle of a newer version.';
      end if;
    end if;

    foreach v_role in array array[v_owner, v_definer, 'braid_reader'] loop
      if not has_schema_privilege(v_role, v_vector_schema, 'USAGE') then
        execute format('grant usage on schema %I to %I', v_vector_schema, v_role);
        -- Without grant options PostgreSQL only warns.
        if not has_schema_privilege(v_role, v_vector_schema, 'USAGE') then
          raise exception 'role % may not use the schema %, where pgvector is', v_role, v_vector_schema
            using errcode = '42501',
                  hint = format('Have its owner run: grant usage on schema %I to %I, %I, braid_reader;', v_vector_schema,
                                v_owner, v_definer);
        end if;
      end if;
    end loop;

    -- As yoyo has them, with which the installer works.
    v_file := 'migrations';
    if not exists (select from pg_class c where c.relnamespace = 'braid_store'::regnamespace
                   and c.relname = '_yoyo_migration') then
      execute format('set local role %I', v_owner);
      create table braid_store._yoyo_migration (
        migration_hash varchar(64) primary key,
        migration_id varchar(255),
        applied_at_utc timestamp
      );
      create table braid_store._yoyo_log (
        id varchar(36) primary key,
        migration_hash varchar(64),
        migration_id varchar(255),
        operation varchar(10),
        username varchar(255),
        hostname varchar(255),
        comment varchar(255),
        created_at_utc timestamp
      );
      create table braid_store._yoyo_version (version int not null primary key, installed_at_utc timestamp);
      insert into braid_store._yoyo_version values (1, null), (2, clock_timestamp() at time zone 'utc');
      reset role;
    end if;
    foreach v_row slice 1 in array v_migrations loop
      continue when exists (select from braid_store._yoyo_migration m where m.migration_id = v_row[1]);
      v_file := v_row[1];
      perform set_config('search_path', 'braid_store', true);
      execute format('set local role %I', v_owner);
      execute replace(replace(v_row[3], '@owner@', v_owner), '@definer@', v_definer);
      reset role;
      perform set_config('search_path', 'pg_catalog, pg_temp', true);
      insert into braid_store._yoyo_migration values (v_row[2], v_row[1], clock_timestamp() at time zone 'utc');
      insert into braid_store._yoyo_log (id, migration_hash, migration_id, operation, username, hostname, created_at_utc)
      values (gen_random_uuid(), v_row[2], v_row[1], 'apply', session_user, 'bundle', clock_timestamp() at time zone 'utc');
    end loop;

    -- A body may call what a later file creates.
    perform set_config('check_function_bodies', 'off', true);
    loop
      begin
        if v_afresh then
          for v_stale in
{{policies}}
          loop
            execute 'drop ' || v_stale;
          end loop;
          for v_stale in
            select format('drop %s %s', k.kind, string_agg(substr(o.name, length(k.kind) + 2), ', '))
            from (
{{objects}}
            ) o (name, oid, version)
            join (values (1, 'view'), (2, 'procedure'), (3, 'aggregate'), (4, 'function')) k (place, kind)
              on starts_with(o.name, k.kind || ' ')
            group by k.place, k.kind
            order by k.place
          loop
            execute v_stale;
          end loop;
        end if;
        select coalesce(jsonb_object_agg(o.name || ' ' || o.oid, o.version), '{}') into v_before
        from (
{{objects}}
        ) o (name, oid, version);
        foreach v_row slice 1 in array v_files loop
          -- The last layer writes to every object, so what has not been replaced must be found before it.
          if v_row[1] like '90_privileges/%' and v_file not like '90_privileges/%' then
            for v_stale in
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
              execute v_stale;
            end loop;
          end if;
          v_file := v_row[1];
          execute replace(replace(replace(v_row[2], '@owner@', v_owner), '@definer@', v_definer), '@vector@',
                          v_vector_quoted);
        end loop;
        exit;
      exception when invalid_function_definition or invalid_table_definition then
        -- `create or replace` cannot change an argument's name or a result: make way, once.
        if v_afresh then
          raise;
        end if;
        v_afresh := true;
      end;
    end loop;
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint;
    raise exception '%: %', v_file, v_message
      using errcode = v_state, hint = coalesce(nullif(v_hint, ''), 'Nothing has been changed.');
  end;
  insert into braid_store.installation (version, sql_hash)
  values (v_version, encode(sha256(convert_to(concat_ws(' ', v_vector_quoted, v_owner, v_definer, v_digest), 'UTF8')), 'hex'))
  on conflict (only_row)
  do update set version = excluded.version, sql_hash = excluded.sql_hash, installed_at = now();

  -- What every installation has.
  if not exists (select from braid_store.tenants where key = 'default') then
    perform braid.create_tenant('default');
  elsif not exists (select from braid_store.tenants t join braid_store.tenant_members m on m.tenant_id = t.id
                    where t.key = 'default' and m.member = session_user) then
    perform braid.add_tenant_member('default', session_user::text);
  end if;
  if not exists (select from braid_store.collections where name = 'default') then
    perform braid.create_collection('default');
  end if;

  -- Supabase's roles. Inheritance is written out: authenticator is created without it. anon gets nothing: a project with
  -- a public tenant says so, by set_access and: grant braid_reader to anon with inherit true
  for v_row in
    select array[g.role, g.member]
    from (values ('braid_gateway', 'authenticator'), ('braid_writer', 'authenticated'),
                 ('braid_admin', 'service_role')) g (role, member)
    join pg_roles r on r.rolname = g.member
    where not pg_has_role(r.oid, g.role, 'USAGE')
  loop
    execute format('grant %I to %I with inherit true', v_row[1], v_row[2]);
  end loop;

  -- The setting wins over the dashboard's, so it is made only where it is there already or asked for.
  select string_agg(substr(s.setting, length('pgrst.db_schemas=') + 1), '') into v_message
  from pg_db_role_setting d
  join pg_roles r on r.oid = d.setrole
  cross join unnest(d.setconfig) s (setting)
  where r.rolname = 'authenticator' and d.setdatabase = 0 and starts_with(s.setting, 'pgrst.db_schemas=');
  v_exposed := coalesce(nullif(v_exposed, ''), v_message, '');
  if v_exposed <> '' and 'braid' <> all (regexp_split_to_array(v_exposed, E'\\s*,\\s*')) then
    v_exposed := v_exposed || ', braid';
  end if;
  if v_exposed is distinct from coalesce(v_message, '') then
    begin
      execute format('alter role authenticator set pgrst.db_schemas = %L', v_exposed);
    exception when insufficient_privilege then
      null; -- the last statement says what to do
    end;
  end if;
  notify pgrst, 'reload config';
  notify pgrst, 'reload schema';

  perform set_config(s.key, s.value, true) from jsonb_each_text(v_settings) s;
end
$braid_bundle$;

select 'pgbraid ' || (select version from braid_store.installation) || ' is installed' as result
union all
select 'add braid to the exposed schemas: Project Settings, Data API, Exposed schemas'
where not exists (
  select
  from pg_catalog.pg_db_role_setting d
  join pg_catalog.pg_roles r on r.oid = d.setrole
  cross join unnest(d.setconfig) s (setting)
  where r.rolname = 'authenticator' and s.setting ~ E'^pgrst\\.db_schemas=.*\\mbraid\\M');
