create or replace function braid_store.has_older_snapshots(transaction_id xid8)
returns boolean
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case
    -- The transaction is the current one, which has not committed yet.
    when has_older_snapshots.transaction_id = pg_current_xact_id_if_assigned() then true
    -- An id that this server has not given out yet came with a dump from another server.
    when has_older_snapshots.transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) then false
    else exists (
      select from pg_stat_activity a
      where a.pid <> pg_backend_pid() and a.datname = current_database()
        and a.usesysid is not null -- Autovacuum does not write to our tables.
        and age(a.backend_xmin) >= age(has_older_snapshots.transaction_id::xid))
  end;
$$;

comment on function braid_store.has_older_snapshots(xid8) is
  'Tell whether another session of this database may still work with a snapshot that does not show the changes of '
  'the transaction with this id. Return true also while that transaction is this session''s own.';
