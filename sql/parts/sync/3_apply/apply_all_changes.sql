-- role: service
create or replace function braid_store.apply_all_changes(time_budget interval)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- A lock on one table must not keep the other tables waiting.
set lock_timeout = '2s'
as $$
declare
  v_started timestamptz := clock_timestamp();
  v_deadline timestamptz;
  v_tenant text := current_setting('braid.tenant', true);
  v_synced_table_id int;
  v_done record;
  v_rows bigint := 0;
  v_failed bigint := 0;
  v_locked bigint := 0;
  v_is_complete boolean := true;
  v_warnings text[] := '{}';
begin
  if apply_all_changes.time_budget is null or apply_all_changes.time_budget <= interval '0' then
    raise exception 'time_budget is %', coalesce(apply_all_changes.time_budget::text, 'null')
      using errcode = '22023', hint = 'Use an interval above zero, for example ''10 seconds''.';
  elsif current_setting('transaction_isolation') <> 'read committed' then
    -- The call must see changes that are committed after it has read which rows changed.
    raise exception 'apply_changes needs the isolation level read committed, but the transaction has %',
                    current_setting('transaction_isolation')
      using errcode = '0A000', hint = 'Make the call in a transaction with the isolation level read committed.';
  end if;
  v_deadline := v_started + least(apply_all_changes.time_budget, interval '100 years');
  for v_synced_table_id in select d from braid_store.due_syncs() d loop
    if clock_timestamp() > v_deadline then
      v_is_complete := false;
      exit;
    end if;
    begin
      v_done := braid_store.apply_sync(v_synced_table_id, v_started, v_deadline);
      v_rows := v_rows + v_done.applied_count;
      v_failed := v_failed + v_done.failed_count;
      v_locked := v_locked + v_done.locked_count;
      v_warnings := v_warnings || v_done.reasons;
      v_is_complete := v_is_complete and v_done.is_complete;
    exception when others then
      v_warnings := v_warnings || braid_store.fail_sync(v_synced_table_id, sqlerrm);
      v_is_complete := false;
    end;
  end loop;
  v_warnings := v_warnings || array(select f from braid_store.sync_faults() f);
  perform set_config('braid.tenant', coalesce(v_tenant, ''), true);
  return jsonb_build_object('rows', v_rows, 'failed', v_failed, 'warnings', v_warnings, 'complete', v_is_complete)
         || case when v_locked > 0 then jsonb_build_object('locked', v_locked) else '{}' end;
end
$$;

comment on function braid_store.apply_all_changes(interval) is
  'Do the work of braid.apply_changes, with the caller''s rights on the tables.';
