-- Roles belong to the cluster, not to this database: another database's pgbraid may have made them already, so
-- they are created if absent and never dropped or altered here.
do $$
declare
  v_role text;
begin
  -- A creator that inherits what it creates would inherit braid_gateway, and be taken for a gateway.
  perform pg_catalog.set_config('createrole_self_grant', '', true);
  foreach v_role in array array['braid_owner', 'braid_definer', 'braid_reader', 'braid_writer', 'braid_admin',
                                'braid_gateway', 'braid_service']
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = v_role) then
      begin
        execute pg_catalog.format('create role %I nologin', v_role);
      exception
        when duplicate_object or unique_violation then
          null; -- an install in another database of this cluster came first
        when insufficient_privilege then
          raise exception 'role % cannot be created by %', v_role, current_user
            using errcode = '42501',
                  hint = 'Install as a superuser or as a database owner with CREATEROLE.';
      end;
    end if;
  end loop;

  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    foreach v_role in array array['braid_owner', 'braid_definer', 'braid_admin'] loop
      -- 'USAGE' and 'SET' are both needed: to act on what the role owns, and to give it ownership.
      if not (pg_catalog.pg_has_role(v_role, 'USAGE') and pg_catalog.pg_has_role(v_role, 'SET')) then
        begin
          execute pg_catalog.format('grant %I to %I with inherit true, set true', v_role, current_user);
        exception when insufficient_privilege then
          raise exception 'role % exists already and % may not act for it', v_role, current_user
            using errcode = '42501',
                  hint = pg_catalog.format('Have its creator run: grant braid_owner, braid_definer, braid_admin '
                                           'to %I with inherit true, set true;', current_user);
        end;
      end if;
    end loop;
  end if;
end
$$;

do $$
begin
  if not pg_catalog.pg_has_role('braid_writer', 'braid_reader', 'MEMBER') then
    grant braid_reader to braid_writer;
  end if;
  if not pg_catalog.pg_has_role('braid_admin', 'braid_writer', 'MEMBER') then
    grant braid_writer to braid_admin;
  end if;
exception when insufficient_privilege then
  raise exception 'the braid_* roles are not members of one another, and % may not change that', current_user
    using errcode = '42501',
          hint = 'Have their creator run: grant braid_reader to braid_writer; grant braid_writer to braid_admin;';
end
$$;
