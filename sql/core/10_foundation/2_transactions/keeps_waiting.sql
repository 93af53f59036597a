create or replace function braid_store.keeps_waiting()
returns boolean
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from pg_locks l
    where not l.granted and pg_backend_pid() = any (pg_blocking_pids(l.pid)));
$$;

comment on function braid_store.keeps_waiting() is
  'Tell whether another session waits for a lock that this session holds. Maintenance then stops early: a clear, a '
  'drop or a rebuild may be waiting for it, and writers wait behind that one.';
