create or replace function braid_store.lock_wait()
returns interval
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select interval '3 seconds';
$$;

comment on function braid_store.lock_wait() is
  'Return how long an administrative call waits for conflicting transactions before it gives up.';
