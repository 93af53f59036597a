-- Two roles belong to this database alone and carry its name: whoever may act for them gains nothing in another
-- database. The other two belong to the whole cluster, give no access by themselves, and may exist already.
do $$
declare
  v_role text;
  v_other text;
begin
  -- A role of this name that does not own our schema here was made for another database, or by somebody who hoped to
  -- own what this install creates.
  for v_role in
    select r.rolname
    from pg_catalog.pg_roles r
    where r.rolname in ('@owner@', '@definer@')
      and not exists (select from pg_catalog.pg_namespace n
                      where n.nspname = 'braid_store' and pg_catalog.pg_get_userbyid(n.nspowner) = '@owner@')
  loop
    select d.datname into v_other
    from pg_catalog.pg_shdepend s
    join pg_catalog.pg_database d on d.oid = s.dbid
    where s.refclassid = 'pg_catalog.pg_authid'::regclass and s.refobjid = v_role::regrole
      and d.datname <> current_database()
    limit 1;
    if found then
      raise exception 'role % owns objects of database %', v_role, v_other
        using errcode = '42501',
              hint = 'Run pgbraid upgrade for that database, which was renamed or copied. The upgrade gives it '
                     'roles of its own.';
    end if;
    select m.rolname into v_other
    from pg_catalog.pg_auth_members a
    join pg_catalog.pg_roles m on m.oid = a.member
    where a.roleid = v_role::regrole and m.rolname <> current_user and not m.rolsuper
    limit 1;
    if found then
      raise exception 'role % is there already, and % may act for it', v_role, v_other
        using errcode = '42501',
              hint = pg_catalog.format('If no database uses this role any more, have a superuser run: drop role %I; '
                                       'otherwise run: revoke %1$I from %I;', v_role, v_other);
    end if;
  end loop;
end
$$;

do $$
declare
  v_role text;
begin
  foreach v_role in array array['@owner@', '@definer@', 'braid_reader', 'braid_writer']
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = v_role) then
      begin
        execute pg_catalog.format('create role %I nologin', v_role);
      exception
        when duplicate_object or unique_violation then
          null; -- An install in another database of this cluster came first.
        when insufficient_privilege then
          raise exception 'role % cannot be created by %', v_role, current_user
            using errcode = '42501',
                  hint = 'Install as a superuser or as a database owner with CREATEROLE.';
      end;
    end if;
  end loop;

  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    foreach v_role in array array['@owner@', '@definer@'] loop
      -- Both privileges are needed: 'USAGE' to act on objects of the role, 'SET' to give it ownership.
      if not (pg_catalog.pg_has_role(v_role, 'USAGE') and pg_catalog.pg_has_role(v_role, 'SET')) then
        begin
          execute pg_catalog.format('grant %I to %I with inherit true, set true', v_role, current_user);
        exception when insufficient_privilege then
          raise exception 'role % exists already and % may not act for it', v_role, current_user
            using errcode = '42501',
                  hint = pg_catalog.format('Have the role''s creator run: grant @owner@, @definer@ to %I with '
                                           'inherit true, set true;', current_user);
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
exception when insufficient_privilege then
  raise exception 'braid_writer is not a member of braid_reader, and % may not grant the membership', current_user
    using errcode = '42501', hint = 'Have the creator of these roles run: grant braid_reader to braid_writer;';
end
$$;
