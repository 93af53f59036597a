-- role: administrator
-- tenants: all
create or replace function braid_store.drop_note_function(synced braid_store.synced_tables)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
begin
  -- The lock keeps anybody from syncing the table again meanwhile.
  perform from braid_store.synced_tables s where s.id = synced.id for update;
  if exists (select from braid_store.synced_tables s where s.id = synced.id and s.phase <> 'end') then
    raise exception 'synced table % has not ended', synced.id using errcode = '42501',
      hint = 'Call braid.unsync_table.';
  end if;
  -- CASCADE also drops the triggers.
  execute format('drop function if exists braid_store.note_rows_%s() cascade', synced.id);
exception when lock_not_available then
  raise exception 'table "%" is locked', synced.table_name
    using errcode = '55P03', hint = 'Another transaction writes to the table. Call again when that transaction has '
                                    'ended.';
end
$$;

comment on function braid_store.drop_note_function(braid_store.synced_tables) is
  'Drop the triggers of a synced table that end_sync has ended.';
