create or replace function braid_store.open_transactions(out oldest xid8, out newest xid8)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- pg_stat_activity shows only the low 32 bits of an id. The full id is the one within 2^31 of this transaction's own.
  v_own bigint := pg_current_xact_id()::text::bigint;
begin
  -- Without this, pg_stat_activity would show its state as of this transaction's first read.
  perform pg_stat_clear_snapshot();
  select min(t.id), max(t.id) into oldest, newest
  from (
    select (v_own - ((((v_own - x.id::text::bigint) & 4294967295) + 2147483648) & 4294967295)
      + 2147483648)::text::xid8 as id
    from (
      select a.backend_xid from pg_stat_activity a
      where a.backend_xid is not null and a.pid <> pg_backend_pid() and a.datname = current_database()
      union all
      select p.transaction from pg_prepared_xacts p where p.database = current_database()
    ) x (id)
  ) t;
end
$$;

comment on function braid_store.open_transactions(out xid8, out xid8) is
  'Return the oldest and the newest id among the other transactions of this database that may have written and have '
  'not ended, prepared ones included. Both are null if there are none.';
