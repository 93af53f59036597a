create or replace function braid_store.stored_tables()
returns table (oid oid, name text)
language sql
stable
parallel restricted
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select c.oid, coalesce(p.relname, c.relname)::text
  from pg_class c
  left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
  left join pg_class p on p.oid = i.inhparent
  where c.relkind = 'r' and coalesce(p.relnamespace, c.relnamespace) = 'braid_store'::regnamespace;
$$;

comment on function braid_store.stored_tables() is
  'List the tables that hold rows. A partition, in whatever schema, is listed under its parent''s name.';
