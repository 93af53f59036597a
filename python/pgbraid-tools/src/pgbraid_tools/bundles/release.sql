-- The last step of the extension's script says what a dump has of the extension. A dump has no definitions of its
-- objects, and of its tables only the rows that the script asks for.
declare
  v_object record;
begin
  -- Objects that pgbraid makes at run time do not belong to the extension, so a dump has their definitions. This script
  -- has set privileges on them, which PostgreSQL notes as the extension's own, and a dump would leave out. An object
  -- that leaves the extension loses this note.
  for v_object in
    with objects (classid, objid) as (
      select 'pg_proc'::regclass::oid, p.oid
      from pg_proc p
      where p.pronamespace = 'braid_store'::regnamespace and p.proname ~ '{{grown}}'
      union
      select 'pg_class'::regclass, c.oid
      from pg_class c
      join pg_init_privs p on p.classoid = 'pg_class'::regclass and p.objoid = c.oid and p.privtype = 'e'
      where c.relnamespace = 'braid_store'::regnamespace and c.relname ~ '{{grown}}' and c.relkind = 'r'
      union
      select 'pg_namespace'::regclass, e.extnamespace
      from pg_extension e
      join pg_init_privs p on p.classoid = 'pg_namespace'::regclass and p.objoid = e.extnamespace and p.privtype = 'e'
      where e.extname = 'vector'
    )
    select concat_ws(' ', i.type, i.identity) as name, d.objid is not null as is_member
    from objects o
    cross join pg_identify_object(o.classid, o.objid, 0) i
    left join pg_depend d on d.classid = o.classid and d.objid = o.objid and d.deptype = 'e'
  loop
    begin
      if not v_object.is_member then
        execute 'alter extension pgbraid add ' || v_object.name;
      end if;
      execute 'alter extension pgbraid drop ' || v_object.name;
    exception when insufficient_privilege then
      null; -- pgvector's schema may belong to another role
    end;
  end loop;

  -- A dump has the rows of all tables, and the state of all sequences, but of what the script itself writes.
  for v_object in
    select c.oid
    from pg_depend d
    join pg_class c on c.oid = d.objid
    where d.classid = 'pg_class'::regclass and d.deptype = 'e' and c.relkind in ('r', 'S')
      and d.refobjid = (select e.oid from pg_extension e where e.extname = 'pgbraid')
      and c.relname <> 'parts' and c.relname !~ 'yoyo|^collection_[0-9]+$'
  loop
    perform pg_extension_config_dump(v_object.oid, '');
  end loop;

  -- A restore runs the script, and then adds the rows. So a row of a table of one row takes the place of the script's
  -- row. The record of the installation is the script's, and the dump's record is only compared with it.
  create or replace function braid_store.take_restored_row()
  returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $take_restored_row$
  declare
    v_version text;
  begin
    if tg_relid <> 'braid_store.installation'::regclass then
      execute format('delete from %s where only_row', tg_relid::regclass);
      return new;
    end if;
    select i.version into v_version from braid_store.installation i where i.migrations <> new.migrations;
    if found then
      raise exception 'the dump has the tables of pgbraid %, and the server''s extension the tables of %',
                      new.version, v_version
        using errcode = '55000',
              hint = format('Restore into an empty database in which you have run: create extension pgbraid version '
                            '%L cascade; and then: alter extension pgbraid update;', new.version);
    end if;
    return null;
  end
  $take_restored_row$;
  comment on function braid_store.take_restored_row() is
    'Let a restored row take the place of the row that the extension''s script has written.';
  -- A trusted role is granted what it needs when its row is restored: the dump leaves out what this script grants.
  create or replace function braid_store.grant_restored_role()
  returns trigger
  language plpgsql
  set search_path = pg_catalog, pg_temp
  as $grant_restored_role$
  begin
    perform braid_store.grant_to_trusted_role(new.role);
    return null;
  end
  $grant_restored_role$;
  comment on function braid_store.grant_restored_role() is 'Grant a trusted role what it needs.';
  for v_object in
    select c.oid::regclass as relation
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'only_row'
    where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r'
      and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'take_restored_row')
  loop
    execute format('create trigger take_restored_row before insert on %s for each row execute function '
                   'braid_store.take_restored_row()', v_object.relation);
  end loop;
  if not exists (select from pg_trigger t where t.tgname = 'grant_restored_role') then
    create trigger grant_restored_role after insert on braid_store.trusted_roles
      for each row execute function braid_store.grant_restored_role();
  end if;
  for v_object in
    select p.oid::regprocedure as signature
    from pg_proc p
    where p.pronamespace = 'braid_store'::regnamespace
      and p.proname in ('take_restored_row', 'grant_restored_role')
  loop
    execute format('alter function %s owner to %I', v_object.signature, v_owner);
    execute format('revoke all on function %s from public', v_object.signature);
    execute format('grant execute on function %s to %I', v_object.signature, v_definer);
  end loop;
end
