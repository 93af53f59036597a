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
  'The table whose lock is that of a collection. Writers hold it in ROW EXCLUSIVE mode and maintenance in ROW SHARE; a step '
  'of a model migration, which excludes writers alone, takes SHARE ROW EXCLUSIVE, and what excludes both EXCLUSIVE.';
