-- role: administrator
-- tenants: all
create or replace function braid_store.end_sync(table_name text, relation regclass, keep_documents boolean)
returns braid_store.synced_tables
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_synced braid_store.synced_tables := braid_store.find_sync(end_sync.table_name, end_sync.relation);
  v_relation regclass := braid_store.synced_relation(v_synced.id);
begin
  if v_relation is not null
     and not pg_has_role(session_user, (select c.relowner from pg_class c where c.oid = v_relation), 'MEMBER') then
    raise exception 'table "%" belongs to "%"', v_relation, (
                      select pg_get_userbyid(c.relowner) from pg_class c where c.oid = v_relation)
      using errcode = '42501', hint = 'Log in as its owner, or as a member of that role.';
  end if;
  begin
    update braid_store.synced_tables s
    set phase = 'end', keeps_documents = end_sync.keep_documents
    where s.id = v_synced.id
    returning s.* into v_synced;
  exception when lock_not_available then
    raise exception 'table "%" is locked', v_synced.table_name
      using errcode = '55P03',
        hint = 'Another transaction writes to the table or applies its changes. Call again when that transaction '
               'has ended.';
  end;
  return v_synced;
end
$$;

comment on function braid_store.end_sync(text, regclass, boolean) is
  'Begin to end what sync_table began; end_rows and drop_note_function do the rest.';
