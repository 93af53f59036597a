-- Grant privileges to Supabase's roles, and expose the schema.
declare
  v_role record;
  v_present text;
begin
  -- Inheritance is written out, because authenticator is created without it.
  -- anon gets nothing. A project with a public tenant calls set_access, and runs a grant:
  --   grant braid_reader to anon with inherit true;
  --
  -- Users only read, because otherwise any token of a tenant could delete all of its documents. A project whose users
  -- write runs:
  --   grant braid_writer to authenticated with inherit true
  for v_role in
    select r.rolname as name, w.granted
    from (values ('authenticated', 'braid_reader'), ('service_role', 'braid_writer')) w (role, granted)
    join pg_roles r on r.rolname = w.role
    where not pg_has_role(r.oid, w.granted, 'USAGE')
  loop
    begin
      execute format('grant %I to %I with inherit true', v_role.granted, v_role.name);
    exception when insufficient_privilege then
      -- Another login made the role, for another database.
      raise exception '% may not grant %', current_user, v_role.granted
        using errcode = '42501',
              hint = format('Have the roles'' creator run: grant braid_reader, braid_writer to %I with admin option;',
                current_user);
    end;
  end loop;
  perform braid.add_trusted_role(t.role, t.kind)
  from (values ('authenticator', 'gateway'), ('service_role', 'administrator')) t (role, kind)
  join pg_roles r on r.rolname = t.role
  where not exists (select from braid_store.trusted_roles k where k.role = t.role and k.kind = t.kind);

  -- The last of several pieces decides.
  v_exposed := coalesce(nullif(v_exposed, ''), current_setting('pgbraid.exposed', true), '');
  -- The setting wins over the dashboard's, so set it only where it is present already or asked for.
  select string_agg(substr(s.setting, length('pgrst.db_schemas=') + 1), '') into v_present
  from pg_db_role_setting d
  join pg_roles r on r.oid = d.setrole
  cross join unnest(d.setconfig) s (setting)
  where r.rolname = 'authenticator' and d.setdatabase = 0 and starts_with(s.setting, 'pgrst.db_schemas=');
  v_exposed := coalesce(nullif(v_exposed, ''), v_present, '');
  if v_exposed <> '' and 'braid' <> all (regexp_split_to_array(v_exposed, E'\\s*,\\s*')) then
    v_exposed := v_exposed || ', braid';
  end if;
  if v_exposed is distinct from coalesce(v_present, '') then
    begin
      execute format('alter role authenticator set pgrst.db_schemas = %L', v_exposed);
    exception when insufficient_privilege then
      null; -- The bundle's last statement says what to do.
    end;
  end if;
  notify pgrst, 'reload config';
  notify pgrst, 'reload schema';
end
