create or replace function braid_store.has_older_snapshots(transaction_id xid8)
returns boolean
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case
    when has_older_snapshots.transaction_id = pg_current_xact_id_if_assigned() then true -- nobody sees it yet
    -- An id from the future is one of the server that a dump was made on.
    when has_older_snapshots.transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) then false
    else exists (
      select from pg_stat_activity a
      where a.pid <> pg_backend_pid() and a.datname = current_database()
        and a.usesysid is not null -- not autovacuum, which writes nothing of ours
        and age(a.backend_xmin) >= age(has_older_snapshots.transaction_id::xid))
  end;
$$;

comment on function braid_store.has_older_snapshots(xid8) is
  'Whether a session may still write by a snapshot that does not see a transaction of the past.';
