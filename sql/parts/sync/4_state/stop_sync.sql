-- role: administrator
create or replace function braid_store.stop_sync(table_name text, keep_documents boolean)
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_time constant interval := '5 seconds';
  v_relation regclass := braid_store.named_relation(stop_sync.table_name);
  v_synced braid_store.synced_tables;
  v_count bigint;
begin
  if not pg_has_role((select c.relowner from pg_class c where c.oid = v_relation), 'USAGE') then
    raise exception 'table "%" belongs to "%"', v_relation, (
                      select pg_get_userbyid(c.relowner) from pg_class c where c.oid = v_relation)
      using errcode = '42501', hint = 'Log in as its owner, or as a member of that role.';
  end if;
  v_synced := braid_store.end_sync(stop_sync.table_name, v_relation, coalesce(stop_sync.keep_documents, false));
  -- The table is locked only after the long work, and only briefly.
  v_count := braid_store.end_rows_or_leave(v_synced, clock_timestamp() + c_time);
  perform braid_store.drop_note_function(v_synced);
  return v_count + braid_store.end_rows_or_leave(v_synced, clock_timestamp());
end
$$;

comment on function braid_store.stop_sync(text, boolean) is
  'Do the work of braid.unsync_table.';
