-- pgbraid {{version}}: hybrid search in PostgreSQL, for Supabase's SQL editor.
--
-- Paste all of it and run it. It is one statement, so that all of it is done or nothing; running it again changes
-- nothing, and over an older version it upgrades. `pgbraid upgrade` goes on from it.
do $braid_bundle$
declare
  -- Which schemas the Data API exposes now, such as 'public, graphql_public': braid is added to them. Left empty, add
  -- braid in the dashboard, under Project Settings, Data API, Exposed schemas; SQL cannot see what is chosen there.
  v_exposed text := '';

  v_migrations constant text[] := array[
{{migrations}}
  ];

  v_settings jsonb;
  v_row text[];
  v_owner text;
  v_definer text;
  v_message text;
  v_hint text;
  v_state text;
begin
  -- Not from pg_settings, which any login can lock: everybody may update it.
  select jsonb_object_agg(s.name, current_setting(s.name)) into v_settings
  from unnest(array['search_path', 'lock_timeout', 'client_min_messages', 'check_function_bodies']) s (name);
  -- An object planted in another schema of the path could be called with the installer's rights.
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
          pg_catalog.set_config('lock_timeout', '30s', true),
          pg_catalog.set_config('client_min_messages', 'warning', true);

{{begin}};

  -- What yoyo does for the installer.
  select n.* into v_owner, v_definer
  from (
{{roles}}
  ) n;
  begin
    foreach v_row slice 1 in array v_migrations loop
      continue when exists (select from braid_store._yoyo_migration m where m.migration_id = v_row[1]);
      perform set_config('search_path', 'braid_store', true);
      execute format('set local role %I', v_owner);
      execute replace(replace(v_row[3], '@owner@', v_owner), '@definer@', v_definer);
      reset role;
      perform set_config('search_path', 'pg_catalog, pg_temp', true);
      insert into braid_store._yoyo_migration values (v_row[2], v_row[1], clock_timestamp() at time zone 'utc');
      insert into braid_store._yoyo_log (id, migration_hash, migration_id, operation, username, hostname, created_at_utc)
      values (gen_random_uuid(), v_row[2], v_row[1], 'apply', session_user, 'bundle', clock_timestamp() at time zone 'utc');
    end loop;
  exception when others then
    get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint;
    raise exception 'migrations/%.sql: %', v_row[1], v_message
      using errcode = v_state, hint = coalesce(nullif(v_hint, ''), 'Nothing has been changed.');
  end;

{{finish}};

{{defaults}};

  -- Supabase's roles. Inheritance is written out: authenticator is created without it. anon gets nothing: a project with
  -- a public tenant says so, by set_access and: grant braid_reader to anon with inherit true
  for v_row in
    select array[g.role, g.member]
    from (values ('braid_writer', 'authenticated'), ('braid_writer', 'service_role')) g (role, member)
    join pg_roles r on r.rolname = g.member
    where not pg_has_role(r.oid, g.role, 'USAGE')
  loop
    execute format('grant %I to %I with inherit true', v_row[1], v_row[2]);
  end loop;
  perform braid.add_trusted_role(t.role, t.kind)
  from (values ('authenticator', 'gateway'), ('service_role', 'administrator')) t (role, kind)
  join pg_roles r on r.rolname = t.role
  where not exists (select from braid_store.trusted_roles k where k.role = t.role and k.kind = t.kind);

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
