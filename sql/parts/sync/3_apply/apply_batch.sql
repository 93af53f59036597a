-- role: service
create or replace function braid_store.apply_batch(
  synced braid_store.synced_tables,
  query text,
  collection text,
  tenant text,
  change_ids bigint[],
  tenants text[],
  keys jsonb[],
  only_gone boolean,
  deadline timestamptz,
  inout locked_tenants text[],
  out applied_count int,
  out failed_count int,
  out locked_count int,
  out failed_error text,
  out locked_error text,
  out done_count int
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_quick constant text := '100ms';
  -- After this many locked rows of a tenant, its other rows are not tried. Otherwise a tenant that has locked all its
  -- rows could keep all tenants waiting.
  c_most_locked constant int := 5;
  c_locked constant text := 'another transaction has locked its document, or what the document is written to';
  v_count int := cardinality(keys);
  v_middle int := v_count / 2;
  v_left_tenants text[] := array(select t from unnest(locked_tenants) t group by t having count(*) >= c_most_locked);
  v_left_count int := (select count(*) from unnest(tenants) t where coalesce(t,
    apply_batch.tenant) = any (v_left_tenants));
  v_is_locked boolean := v_left_count > 0;
  v_error text;
  v_timeout text := current_setting('lock_timeout');
  v_part record;
begin
  applied_count := 0;
  failed_count := 0;
  locked_count := 0;
  done_count := 0;
  if v_left_count = v_count and change_ids <> '{}' then
    locked_count := v_count;
    done_count := v_count;
    perform braid_store.end_changes(synced.id, change_ids, c_locked, is_locked => true);
    return;
  end if;
  begin
    if v_left_count = 0 then
      applied_count := braid_store.apply_rows(synced, query, collection, tenant, tenants, keys, only_gone);
      if change_ids <> '{}' then
        perform braid_store.end_changes(synced.id, change_ids);
      end if;
      done_count := v_count;
      return;
    end if;
  exception
    when insufficient_privilege or syntax_error_or_access_rule_violation or disk_full or operator_intervention
      or io_error
         or invalid_transaction_state then
      -- An unknown tenant, collection or language raises undefined_object (42704); only its row is wrong.
      if sqlstate <> '42704' then
        raise;
      end if;
      v_error := sqlerrm;
    when lock_not_available or deadlock_detected then
      v_is_locked := true;
    when others then
      v_error := sqlerrm;
  end;

  if v_count > 1 then
    -- One of the rows is wrong or locked. Bisect to find it, so that the others are applied.
    perform set_config('lock_timeout', c_quick, true);
    for v_half in 0..1 loop
      exit when v_half = 1 and clock_timestamp() > apply_batch.deadline;
      select b.* into v_part
      from braid_store.apply_batch(
        synced, query, collection, tenant,
        case v_half when 0 then change_ids[:v_middle] else change_ids[v_middle + 1:] end,
        case v_half when 0 then tenants[:v_middle] else tenants[v_middle + 1:] end,
        case v_half when 0 then keys[:v_middle] else keys[v_middle + 1:] end, only_gone, apply_batch.deadline,
        apply_batch.locked_tenants) b;
      applied_count := applied_count + v_part.applied_count;
      failed_count := failed_count + v_part.failed_count;
      locked_count := locked_count + v_part.locked_count;
      done_count := done_count + v_part.done_count;
      failed_error := coalesce(v_part.failed_error, failed_error);
      locked_error := coalesce(v_part.locked_error, locked_error);
      locked_tenants := v_part.locked_tenants;
      exit when v_half = 0 and v_part.done_count < v_middle;
    end loop;
    perform set_config('lock_timeout', v_timeout, true);
    return;
  end if;

  done_count := 1;
  if v_is_locked then
    locked_count := 1;
    locked_tenants := locked_tenants || coalesce(tenants[1], tenant);
    v_error := c_locked;
    locked_error := format('row %s: %s', braid_store.synced_external_id(keys[1]), v_error);
  else
    failed_count := 1;
    failed_error := format('row %s: %s', braid_store.synced_external_id(keys[1]), v_error);
    begin
      -- Delete the old tenant's document, even if the new tenant cannot take the row.
      perform braid_store.apply_rows(synced, query, collection, tenant, tenants, keys, true);
    exception when others then
      null;
    end;
    if synced.fields ? 'access' then
      perform braid_store.narrow_failed_row(synced, tenant, tenants[1], keys[1]);
    end if;
  end if;
  perform braid_store.end_changes(synced.id, change_ids, v_error, tenants[1], keys[1], v_is_locked);
end
$$;

comment on function braid_store.apply_batch(braid_store.synced_tables, text, text, text, bigint[], text[], jsonb[],
                                            boolean, timestamptz, text[]) is
  E'Run apply_rows and remove the changes. Postpone, with the reason, a row that cannot be a document or whose '
  'document is locked, and apply the others.\n'
  'change_ids: empty if the keys come from no changes. done_count: how many keys were looked at before the deadline; '
  'the others are unchanged. locked_tenants: the tenant of each row found locked, in earlier calls too. Rows of a '
  'tenant that is listed often are postponed without a try.';
