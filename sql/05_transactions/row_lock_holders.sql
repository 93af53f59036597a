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
  v_members xid[];
  v_id xid;
  v_known text;
  v_is_all_known boolean := true;
begin
  -- One that several transactions share has a number of its own, which may be that of another transaction, too.
  foreach v_id in array row_lock_holders.row_locks loop
    begin
      v_members := array(select m.xid from pg_get_multixact_members(v_id) m);
    exception when others then
      v_members := '{}'; -- it is no such number
    end;
    v_ids := v_ids || v_members;
    v_is_all_known := v_is_all_known and (
      select bool_and(exists (select from pg_locks l where l.locktype = 'transactionid' and l.transactionid = u.id))
      from unnest(case when v_members = '{}' then array[v_id] else v_members end) u (id));
  end loop;
  v_known := braid_store.lock_holders(null, '{}', v_ids);
  if v_known is not null and v_is_all_known then
    return v_known;
  end if;
  -- Of a released savepoint, as every one of a prepared transaction is, nothing tells whose it was.
  return nullif(concat_ws(', or ', v_known, 'one of: '
                || braid_store.lock_holders('{braid_locks.tenant_locks}', '{RowShareLock}')), '');
end
$$;

comment on function braid_store.row_lock_holders(xid[]) is
  'The transactions that hold row locks, in words, by the xmax of the rows.';
