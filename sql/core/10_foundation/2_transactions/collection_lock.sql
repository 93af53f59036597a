create or replace function braid_store.collection_lock(collection_id int)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select 'braid_locks.collection_' || collection_lock.collection_id % 64;
$$;

comment on function braid_store.collection_lock(int) is
  'Return the name of the table whose lock stands for a collection. Writers take ROW EXCLUSIVE on it, maintenance '
  'ROW SHARE. A step of a model change takes SHARE ROW EXCLUSIVE, which keeps out only writers. EXCLUSIVE keeps out '
  'writers and maintenance. Collections whose ids are equal modulo 64 share a table.';
