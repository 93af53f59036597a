-- braid is the API, and the only schema to expose. braid_calls holds the functions that the API calls with the caller's
-- rights. braid_store holds tables, row types and internals. Some commands, such as CREATE RULE, lock a relation before
-- they check the caller's rights, but nobody can name a relation in a schema without USAGE. So readers and writers have
-- no USAGE on braid_store, only definer functions have it on braid_locks, and no relation is ever put into braid_calls.
create schema if not exists braid authorization @owner@;
create schema if not exists braid_calls authorization @owner@;
create schema if not exists braid_store authorization @owner@;
create schema if not exists braid_locks authorization @owner@;

-- The owner of a schema can drop its objects, and can put functions there that our calls would find. In a renamed or
-- copied database, the owner is another database's role; after a restore from a dump, it may be whoever restored it.
-- This block gives pgbraid's objects to this database's roles. Functions follow when they are replaced, in
-- core/99_privileges.
do $$
declare
  v_schema record;
  v_object text;
begin
  for v_schema in
    select n.nspname as name, r.rolname as owner,
           r.rolname ~ '^braid_owner_' or r.rolname = current_user or r.rolsuper as is_trusted,
           pg_catalog.pg_has_role(r.oid, 'USAGE') as is_ours,
           exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace s on s.oid = c.relnamespace
                   where s.nspname = 'braid_store' and c.relname = 'installation') as is_installed
    from pg_catalog.pg_namespace n
    join pg_catalog.pg_roles r on r.oid = n.nspowner
    where n.nspname in ('braid', 'braid_calls', 'braid_store', 'braid_locks') and r.rolname <> '@owner@'
  loop
    if not v_schema.is_installed then
      raise exception 'schema % is there already and belongs to %', v_schema.name, v_schema.owner
        using errcode = '42501', hint = pg_catalog.format('Rename it, or drop it: drop schema %I cascade;',
          v_schema.name);
    elsif not v_schema.is_ours then
      raise exception 'schema % belongs to %, for which % may not act', v_schema.name, v_schema.owner, current_user
        using errcode = '42501', hint = pg_catalog.format('Run this as a superuser, or as %s.', v_schema.owner);
    elsif not v_schema.is_trusted then
      raise exception 'schema % belongs to %', v_schema.name, v_schema.owner
        using errcode = '42501',
              hint = pg_catalog.format('Run this as %I. If you trust the objects that this role created in the '
                                       'schemas, run instead: alter schema braid owner to %I; alter schema '
                                       'braid_store owner to %2$I;', v_schema.owner, current_user);
    end if;
    execute pg_catalog.format('alter schema %I owner to @owner@', v_schema.name);
  end loop;

  for v_object in
    select case c.relkind when 'v' then 'view ' when 'c' then 'type ' else 'table ' end || c.oid::regclass
    from pg_catalog.pg_class i
    join pg_catalog.pg_namespace s on s.oid = i.relnamespace and s.nspname = 'braid_store'
    join pg_catalog.pg_class c on c.relowner = i.relowner
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname in ('braid', 'braid_store', 'braid_locks')
    where i.relname = 'installation' and i.relowner <> '@owner@'::regrole and c.relkind in ('r', 'p', 'v', 'c')
    order by c.oid
  loop
    execute pg_catalog.format('alter %s owner to @owner@', v_object);
  end loop;
end
$$;

comment on schema braid is
  'pgbraid: hybrid search in PostgreSQL. The API; see https://github.com/pgbraid/pgbraid';
comment on schema braid_calls is 'pgbraid: functions that the API calls. Not an interface.';
comment on schema braid_store is 'pgbraid: tables and internals. Not an interface.';
comment on schema braid_locks is
  'pgbraid: tables that are only locked. Not an interface.';
