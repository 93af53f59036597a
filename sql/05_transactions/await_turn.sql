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
  -- The last transaction with these 32 bits.
  v_turn bigint := v_next - ((v_next - turn::text::bigint) & 4294967295);
begin
  -- What locked the row stays in xmax when it has ended. A guess is enough: writing tells who may go on.
  if v_turn between 3 and v_next - 1 and pg_xact_status(v_turn::text::xid8) <> 'in progress' then
    return;
  end if;
  -- Waits, and keeps no lock.
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
  'Waits while the transaction that last locked a turn in tenant_locks is about to take writing for itself: without this, '
  'writers who come one after another would leave it no moment.';
