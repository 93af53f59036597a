create or replace function braid_store.await_turn(turn xid, tenant_id int, slot int)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_next bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  -- xmax has only 32 bits. This is the newest transaction id that ends in these bits.
  v_turn bigint := v_next - ((v_next - turn::text::bigint) & 4294967295);
begin
  -- xmax keeps the id after that transaction has ended. A wrong guess does no harm: the lock on the row of kind
  -- 'writing' decides who may write.
  if v_turn between 3 and v_next - 1 and pg_xact_status(v_turn::text::xid8) <> 'in progress' then
    return;
  end if;
  -- Waits for the lock; the exception below gives it back at once.
  perform
  from braid_locks.tenant_locks l
  where l.tenant_id = await_turn.tenant_id and l.slot = await_turn.slot and l.kind = 'turn'
  for key share;
  raise exception 'waited' using errcode = 'BR001', hint = 'Call again.';
exception when sqlstate 'BR001' then
  null;
end
$$;

comment on function braid_store.await_turn(xid, int, int) is
  'Let a waiting transaction go first. If another transaction holds the row of kind turn because it wants exclusive '
  'writing, wait until that transaction has ended. Otherwise a close sequence of writers would never leave it a free '
  'moment. turn: xmax of that row, as the caller read it. Takes no lock that lasts.';
