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
  -- If several transactions share the lock, xmax is a multixact's number. The same number may also be the id of a
  -- transaction.
  foreach v_id in array row_lock_holders.row_locks loop
    begin
      v_members := array(select m.xid from pg_get_multixact_members(v_id) m);
    exception when others then
      v_members := '{}'; -- not the number of a multixact
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
  -- An id of a released savepoint does not show its transaction, and every savepoint of a prepared transaction is
  -- released. So name every possible holder of the lock.
  return nullif(concat_ws(', or ', v_known, 'one of: '
                || braid_store.lock_holders('{braid_locks.tenant_locks}', '{RowShareLock}')), '');
end
$$;

comment on function braid_store.row_lock_holders(xid[]) is
  'Describe in words which transactions hold row locks of tenant_locks. row_locks: xmax of the locked rows. Return '
  'null if all have ended.';
