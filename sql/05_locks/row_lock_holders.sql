create or replace function braid_store.row_lock_holders(row_locks xid[])
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids xid[] := row_lock_holders.row_locks;
  v_id xid;
begin
  -- One that several transactions share has a number of its own, which may be that of another transaction, too.
  foreach v_id in array row_lock_holders.row_locks loop
    begin
      v_ids := v_ids || array(select m.xid from pg_get_multixact_members(v_id) m);
    exception when others then
      null; -- it is no such number
    end;
  end loop;
  return coalesce(
    braid_store.lock_holders(null, '{}', v_ids),
    -- Of a savepoint nothing tells whose it was.
    'one of: ' || braid_store.lock_holders('{braid_locks.tenant_locks}', '{RowShareLock}'));
end
$$;

comment on function braid_store.row_lock_holders(xid[]) is
  'The transactions that hold row locks, in words, by the xmax of the rows.';
