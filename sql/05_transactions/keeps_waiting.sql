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
  'Whether a clear, a drop or a rebuild waits for this session to end its maintenance, with writers queueing behind it.';
