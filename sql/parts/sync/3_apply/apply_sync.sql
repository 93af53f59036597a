-- role: service
create or replace function braid_store.apply_sync(
  synced_table_id int,
  started timestamptz,
  deadline timestamptz,
  out applied_count bigint,
  out failed_count bigint,
  out locked_count bigint,
  out reasons text[],
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_batch_size constant int := 200;
  v_synced braid_store.synced_tables := braid_store.take_sync(apply_sync.synced_table_id);
  v_relation regclass;
  v_query text;
  v_collection text;
  v_tenant text;
  v_changes record;
  v_rows record;
  v_done record;
  v_nothing record;
  v_failed_error text;
  v_locked_error text;
  v_locked_tenants text[] := '{}';
  v_started timestamptz;
  v_keys jsonb[];
  v_tenants text[];
begin
  applied_count := 0;
  failed_count := 0;
  locked_count := 0;
  reasons := '{}';
  is_complete := false;
  if v_synced.id is null then
    return; -- another session has locked it
  elsif v_synced.phase in ('lost', 'end') then
    select e.* into applied_count, is_complete from braid_store.end_rows(v_synced, apply_sync.deadline) e;
    return;
  end if;
  v_relation := braid_store.synced_relation(v_synced.id);
  if v_relation is null then
    raise exception 'table "%" was dropped, or its triggers', v_synced.table_name
      using errcode = '42704', hint = 'Call braid.unsync_table, or braid.sync_table again.';
  end if;
  v_query := braid_store.row_query(v_synced, v_relation);
  select p.collection, p.tenant into v_collection, v_tenant from braid_store.sync_place(v_synced.id) p;
  select 0 as applied_count, 0 as failed_count, 0 as locked_count, null::text as failed_error,
    null::text as locked_error,
         null::text[] as locked_tenants
  into v_nothing;
  loop
    v_started := clock_timestamp();
    v_done := v_nothing;
    v_changes := braid_store.next_changes(v_synced.id, c_batch_size, apply_sync.started);
    if v_changes.is_unknown then
      -- The changes without a key ask for all rows to be read again.
      perform braid_store.end_changes(v_synced.id, array(
        select c.id from unnest(v_changes.change_ids, v_changes.keys) c (id, key) where c.key is null));
      v_synced.phase := 'backfill';
      v_synced.reached_key := null;
      perform braid_store.note_sync(v_synced.id, 'backfill', null, 0, 0, 0, null);
      continue;
    elsif v_changes.change_ids <> '{}' then
      select b.* into v_done
      from braid_store.apply_batch(v_synced, v_query, v_collection, v_tenant, v_changes.change_ids, v_changes.tenants,
                                   v_changes.keys, false, apply_sync.deadline, v_locked_tenants) b;
    elsif v_synced.phase = 'backfill' then
      v_rows := braid_store.next_keys(v_synced, v_relation, c_batch_size);
      if v_rows.last_key is null then
        v_synced.phase := 'sweep';
        v_synced.reached_key := null;
        v_synced.reached_tenant_id := 0;
      else
        select b.* into v_done
        from braid_store.apply_batch(v_synced, v_query, v_collection, v_tenant, '{}', v_rows.tenants, v_rows.keys,
                                     false, apply_sync.deadline, v_locked_tenants) b;
        v_synced.reached_key := v_rows.last_key || jsonb_build_object('key', v_rows.keys[v_done.done_count]);
      end if;
    elsif v_synced.phase = 'sweep' then
      v_rows := braid_store.next_synced_rows(v_synced.id, v_synced.reached_tenant_id, v_synced.reached_key #>> '{}',
                                             c_batch_size);
      if v_rows.last_tenant_id is null then
        v_synced.phase := 'follow';
        v_synced.reached_key := null;
        v_synced.reached_tenant_id := 0;
      else
        v_synced.reached_tenant_id := v_rows.last_tenant_id;
        v_keys := braid_store.synced_keys(v_synced, v_rows.external_ids);
        v_tenants := array_fill(v_rows.tenant, array[cardinality(v_keys)]);
        select b.* into v_done
        from braid_store.apply_batch(v_synced, v_query, v_collection, v_tenant, '{}', v_tenants, v_keys, true,
                                     apply_sync.deadline, v_locked_tenants) b;
        v_synced.reached_key := to_jsonb(v_rows.external_ids[v_done.done_count]);
      end if;
    else
      is_complete := locked_count = 0;
      exit;
    end if;
    applied_count := applied_count + v_done.applied_count;
    failed_count := failed_count + v_done.failed_count;
    locked_count := locked_count + v_done.locked_count;
    v_failed_error := coalesce(v_failed_error, v_done.failed_error);
    v_locked_error := coalesce(v_locked_error, v_done.locked_error);
    v_locked_tenants := coalesce(v_done.locked_tenants, v_locked_tenants);
    perform braid_store.note_sync(v_synced.id, v_synced.phase, v_synced.reached_key, v_synced.reached_tenant_id,
                                  v_done.applied_count, extract(epoch from clock_timestamp() - v_started)::float8,
                                  coalesce(v_done.failed_error, v_done.locked_error));
    exit when clock_timestamp() > apply_sync.deadline;
  end loop;
  if failed_count > 0 then
    reasons := reasons || format('%s: %s failed, tried again later, such as %s', v_relation,
                                 case failed_count when 1 then '1 row' else failed_count || ' rows' end,
                                 left(v_failed_error, 1000));
  end if;
  if locked_count > 0 then
    reasons := reasons || format('%s: %s left for the next call, such as %s', v_relation,
                                 case locked_count when 1 then '1 row' else locked_count || ' rows' end,
                                 left(v_locked_error, 1000));
  end if;
end
$$;

comment on function braid_store.apply_sync(int, timestamptz, timestamptz) is
  'Apply rows of a synced table until the deadline: first its changes, then the rows not yet looked at. started: '
  'when this call of apply_changes began. reasons: why rows failed or were left.';
