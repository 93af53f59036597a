create or replace function braid_store.apply_batch(
  synced braid_store.synced_tables,
  query text,
  collection text,
  tenant text,
  change_ids bigint[],
  tenants text[],
  keys jsonb[],
  only_gone boolean,
  out applied_count int,
  out failed_count int,
  out last_error text
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key jsonb;
begin
  failed_count := 0;
  begin
    applied_count := braid_store.apply_rows(synced, query, collection, tenant, tenants, keys, only_gone);
    if change_ids <> '{}' then
      perform braid_store.end_changes(synced.id, change_ids);
    end if;
    return;
  exception when data_exception or program_limit_exceeded or integrity_constraint_violation or undefined_object then
    null;
  end;

  -- One of them is wrong: the others are brought over, each by itself.
  applied_count := 0;
  for v_place in 1..cardinality(keys) loop
    v_key := keys[v_place];
    begin
      -- What the old tenant has goes, even if the new one cannot take the row.
      perform braid_store.apply_rows(synced, query, collection, tenant, tenants[v_place:v_place], keys[v_place:v_place],
                                     true);
    exception when data_exception or program_limit_exceeded or integrity_constraint_violation or undefined_object then
      null;
    end;
    begin
      applied_count := applied_count
                       + braid_store.apply_rows(synced, query, collection, tenant, tenants[v_place:v_place],
                                                  keys[v_place:v_place], only_gone);
      if change_ids <> '{}' then
        perform braid_store.end_changes(synced.id, change_ids[v_place:v_place]);
      end if;
    exception when data_exception or program_limit_exceeded or integrity_constraint_violation or undefined_object then
      failed_count := failed_count + 1;
      last_error := format('row %s: %s', braid_store.synced_external_id(v_key), sqlerrm);
      perform braid_store.end_changes(synced.id, change_ids[v_place:v_place], sqlerrm, tenants[v_place], v_key);
    end;
  end loop;
end
$$;

comment on function braid_store.apply_batch(braid_store.synced_tables, text, text, text, bigint[], text[], jsonb[],
                                            boolean) is
  'As apply_rows, and takes the changes away; a row that cannot be a document is put off with its error, and the others are '
  'not. change_ids: empty if the keys come from no changes.';
