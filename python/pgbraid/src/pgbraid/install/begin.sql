-- Step one of an installation: check server and database, create what migrations need, and refuse an impossible
-- upgrade.
declare
  v_version constant text := '{{version}}';
  v_foundation constant text[] := array[
{{foundation}}
  ];
  -- Name and content hash, in the order of application.
  v_migrations constant text[] := array[
{{hashes}}
  ];
  -- The core, and the parts that can be installed from here.
  v_parts constant text[] := array[{{parts}}];
  v_row text[];
  v_role text;
  v_schema text;
  v_found text;
begin
  -- No reader or writer waits for this step's locks, so a long timeout is harmless.
  perform set_config('lock_timeout', '60s', true);
  if current_setting('server_version_num')::int < 160000 then
    raise exception 'the server is PostgreSQL %; pgbraid needs 16 or newer', current_setting('server_version')
      using errcode = '0A000',
        hint = 'Upgrade the server, or use the embedded one: run pgbraid without --dsn and PGBRAID_DSN.';
  end if;
  if pg_is_in_recovery() then
    raise exception 'the server is a read-only standby'
      using errcode = '25006', hint = 'Install on the primary; standbys follow.';
  end if;
  if current_setting('transaction_read_only') = 'on' then
    raise exception 'the transaction is read-only'
      using errcode = '25006',
        hint = 'Run this first, and then the installation again: set default_transaction_read_only = off;';
  end if;
  if current_setting('server_encoding') <> 'UTF8' then
    raise exception 'the database''s encoding is %; pgbraid needs UTF8', current_setting('server_encoding')
      using errcode = '0A000',
        hint = 'Create the database with: create database NAME encoding ''UTF8'' template template0';
  end if;

  -- Only its own script may replace what belongs to an extension.
  select e.extversion into v_found from pg_extension e where e.extname = 'pgbraid';
  if v_found is not null
     and array(select part::int from string_to_table(v_found, '.') part where part ~ E'^\\d+$')
         < array(select part::int from string_to_table(v_version, '.') part where part ~ E'^\\d+$') then
    begin
      execute format('alter extension pgbraid update to %L', v_version);
    exception when others then
      get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint;
      raise exception 'the extension pgbraid % is not updated: %', v_found, v_message
        using errcode = v_state,
              hint = coalesce(nullif(v_hint, ''),
                              format('Bring the files of %s to the server: pgbraid bundle --extension FOLDER, and make '
                                     'install there; or pgbraid bundle --tle', v_version));
    end;
  end if;

  if not exists (select from pg_extension where extname = 'vector') then
    select a.default_version into v_found from pg_available_extensions a where a.name = 'vector';
    if v_found is null then
      raise exception 'the server has no pgvector'
        using errcode = '0A000',
              hint = 'Install it on the server (package postgresql-NN-pgvector; managed services have it built in).';
    end if;
    v_schema := case when exists (select from pg_namespace where nspname = 'extensions')
                       or not exists (select from pg_namespace where nspname = 'public')
                     then 'extensions' else 'public' end;
    begin
      if not exists (select from pg_namespace where nspname = v_schema) then
        create schema extensions;
      end if;
      execute format('create extension vector schema %I', v_schema);
    exception when insufficient_privilege then
      raise exception 'the extension pgvector is not in this database, and % may not create it', current_user
        using errcode = '42501', hint = 'Have a superuser run in this database: create extension vector;';
    end;
  end if;
  select e.extversion, n.nspname into v_found, v_schema
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'vector';
  if array(select part::int from string_to_table(v_found, '.') part where part ~ E'^\\d+$') < '{0,8}' then
    raise exception 'the database has pgvector %; pgbraid needs 0.8 or newer', v_found
      using errcode = '0A000',
            hint = 'Install a newer pgvector on the server if it has none, then run: alter extension vector update;';
  end if;

  foreach v_row slice 1 in array v_foundation loop
    v_file := 'sql/' || v_row[1];
    execute replace(replace(v_row[2], '@owner@', v_owner), '@definer@', v_definer);
  end loop;
  v_file := null;

  foreach v_role in array array[v_owner, v_definer, 'braid_reader'] loop
    if not has_schema_privilege(v_role, v_schema, 'USAGE') then
      begin
        execute format('grant usage on schema %I to %I', v_schema, v_role);
      exception when insufficient_privilege then
        null; -- without grant options PostgreSQL refuses, or only warns
      end;
      if not has_schema_privilege(v_role, v_schema, 'USAGE') then
        raise exception 'pgbraid''s roles may not use the schema %, where pgvector is', v_schema
          using errcode = '42501',
                hint = format('Have its owner run: grant usage on schema %I to %I, %I, braid_reader;',
                              v_schema, v_owner, v_definer);
      end if;
    end if;
  end loop;

  if exists (select from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relname = 'installation')
    then
    -- One installation at a time. Only the owner's members may take this lock, and no reader waits for it.
    lock table braid_store.installation in exclusive mode;
    -- Every released version has the first migration of the core.
    if not exists (select from braid_store._yoyo_migration y where y.migration_id = v_migrations[1][1]) then
      raise exception 'the database is from before pgbraid 0.1.0, and cannot be upgraded to %', v_version
        using errcode = '55000',
              hint = 'Move the data: export each tenant with the package that made the database, then run pgbraid '
                     'import-tenant with this one into a new database.';
    end if;
    -- This version may not work with a newer one's schema; and the changed text of an applied migration never ran.
    select i.version into v_found from braid_store.installation i;
    if array(select part::int from string_to_table(v_found, '.') part where part ~ E'^\\d+$')
         > array(select part::int from string_to_table(v_version, '.') part where part ~ E'^\\d+$') then
      raise exception 'the database has pgbraid %, which is newer than this one, %', v_found, v_version
        using errcode = '55000', hint = 'Upgrade the package: pip install --upgrade pgbraid, or use a newer bundle.';
    end if;
    -- The installation would drop functions and views of a part that it does not bring.
    select string_agg(p.name, ', ' order by p.place) into v_found from braid_store.parts p
      where p.name <> all (v_parts);
    if v_found is not null then
      raise exception 'the database has parts that are not in this pgbraid, %: %', v_version, v_found
        using errcode = '55000',
              hint = 'A part of your own: give its folder again, pgbraid init --with PATH. A bundle: write one that '
                     'has these parts as well, pgbraid bundle --with NAME. Else use a package that has them.';
    end if;
    select max(m.key) into v_found
    from (select jsonb_object_keys(i.migrations) from braid_store.installation i
          union all
          select y.migration_id from braid_store._yoyo_migration y) m (key)
    where m.key <> all (array(select v_migrations[i][1] from generate_subscripts(v_migrations, 1) i));
    if v_found is not null then
      raise exception 'the database has the migration %, which this pgbraid, %, does not know', v_found, v_version
        using errcode = '55000', hint = 'Upgrade the package: pip install --upgrade pgbraid, or use a newer bundle.';
    end if;
    select min(v_migrations[n][1]) into v_found
    from braid_store.installation i
    cross join generate_subscripts(v_migrations, 1) n
    where i.migrations ->> v_migrations[n][1] <> v_migrations[n][2];
    if v_found is not null then
      raise exception 'the migration % of this pgbraid, %, is not the one that was applied to the database',
                      v_found, v_version
        using errcode = '55000',
              hint = 'It was changed afterwards. Use the package that the database was installed with, or move the '
                     'data: pgbraid export-tenant, and pgbraid import-tenant into a new database.';
    end if;
  end if;
end
