-- The second step of an installation applies missing migrations in yoyo's order, and records them as yoyo does.
declare
  -- File, text, name, and yoyo's statements that record the migration.
  v_migrations constant text[] := array[
{{migrations}}
  ];
  v_role constant text := current_setting('role');
  v_row text[];
  v_vector text;
begin
  select '"' || replace(n.nspname, '"', '""') || '"' into v_vector
  from pg_extension e
  join pg_namespace n on n.oid = e.extnamespace
  where e.extname = 'vector';
  perform set_config('search_path', 'braid_store, pg_temp', true);
  if not exists (select from pg_class c where c.relnamespace = 'braid_store'::regnamespace
                 and c.relname = '_yoyo_migration') then
    execute format('set local role %I', v_owner);
{{record}}
    perform set_config('role', v_role, true);
  end if;

  -- Migrations lock tables that every call reads, in another order. To prevent deadlocks, this lock waits for running
  -- calls and keeps new ones out: each call reads the tenants first, and keeps that lock. If calls do not end within
  -- the timeout, the installation retries later.
  perform set_config('lock_timeout', '{{lock_timeout}}', true);
  if exists (select from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relname = 'tenants')
     and exists (select from generate_subscripts(v_migrations, 1) i
                 where v_migrations[i][3] <> all (select y.migration_id from braid_store._yoyo_migration y)) then
    lock table braid_store.tenants in access exclusive mode;
  end if;

  foreach v_row slice 1 in array v_migrations loop
    continue when exists (select from braid_store._yoyo_migration y where y.migration_id = v_row[3]);
    v_file := 'migrations/' || v_row[1];
    execute format('set local role %I', v_owner);
    execute replace(replace(replace(v_row[2], '@owner@', v_owner), '@definer@', v_definer), '@vector@', v_vector);
    -- A migration may leave its own role and path behind.
    perform set_config('role', v_role, true);
    perform set_config('search_path', 'braid_store, pg_temp', true);
    execute v_row[4];
  end loop;
  v_file := null;
  perform set_config('search_path', 'pg_catalog, pg_temp', true);
end
