-- braid is the API and all that is ever exposed; braid_store holds tables and internals.
create schema if not exists braid authorization braid_owner;
create schema if not exists braid_store authorization braid_owner;

-- Whoever owns a schema can drop what is in it, and put functions beside ours that our calls would find.
do $$
declare
  v_schema record;
begin
  select n.nspname as name, pg_catalog.pg_get_userbyid(n.nspowner) as owner into v_schema
  from pg_catalog.pg_namespace n
  where n.nspname in ('braid', 'braid_store') and pg_catalog.pg_get_userbyid(n.nspowner) <> 'braid_owner'
  limit 1;
  if found then
    raise exception 'schema % is there already and belongs to %', v_schema.name, v_schema.owner
      using errcode = '42501', hint = pg_catalog.format('Rename it, or drop it: drop schema %I cascade;', v_schema.name);
  end if;
end
$$;

comment on schema braid is 'pgbraid: hybrid search in PostgreSQL. The API; see https://github.com/pgbraid/pgbraid';
comment on schema braid_store is 'pgbraid: tables and internals. Not an interface.';
