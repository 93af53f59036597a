-- role: service
create or replace function braid_store.compare_rows(table_name text)
returns table (tenant text, external_id text, problem text)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_batch_size constant int := 500;
  v_synced braid_store.synced_tables := braid_store.find_sync(
    compare_rows.table_name, braid_store.named_relation(compare_rows.table_name));
  v_relation regclass := braid_store.synced_relation(v_synced.id);
  v_query text;
  v_tenant text;
  v_rows record;
begin
  if v_relation is null then
    raise exception 'table "%" was dropped, or its triggers', v_synced.table_name
      using errcode = '42704', hint = 'Call braid.unsync_table, or braid.sync_table again.';
  end if;
  return query
  select null, null, f.faults from (select braid_store.trigger_faults(v_relation, false) as faults) f
    where f.faults is not null;
  v_query := braid_store.row_query(v_synced, v_relation);
  v_tenant := (select p.tenant from braid_store.sync_place(v_synced.id) p);
  v_synced.reached_key := null;
  loop
    v_rows := braid_store.next_keys(v_synced, v_relation, c_batch_size);
    exit when v_rows.last_key is null;
    v_synced.reached_key := v_rows.last_key;
    return query
    select * from braid_store.compare_batch(v_synced, v_query, v_tenant, v_rows.tenants, v_rows.keys, false);
  end loop;

  v_synced.reached_tenant_id := 0;
  v_synced.reached_key := null;
  loop
    v_rows := braid_store.next_synced_rows(v_synced.id, v_synced.reached_tenant_id, v_synced.reached_key #>> '{}',
                                           c_batch_size);
    exit when v_rows.last_tenant_id is null;
    v_synced.reached_tenant_id := v_rows.last_tenant_id;
    v_synced.reached_key := to_jsonb(v_rows.external_ids[cardinality(v_rows.external_ids)]);
    return query
    select *
    from braid_store.compare_batch(
      v_synced, v_query, v_tenant, array_fill(v_rows.tenant, array[cardinality(v_rows.external_ids)]),
      braid_store.synced_keys(v_synced, v_rows.external_ids), true);
  end loop;
end
$$;

comment on function braid_store.compare_rows(text) is
  'Do the work of braid.check_sync, with the caller''s rights on the table.';
