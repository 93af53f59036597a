create or replace function braid_store.extend_removal_sync(part text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_synced braid_store.synced_tables;
begin
  if extend_removal_sync.part = 'sync' then
    for v_synced in update braid_store.synced_tables s set phase = 'end', keeps_documents = true
      where true returning s.* loop
      perform braid_store.drop_note_function(v_synced);
    end loop;
  end if;
end
$$;

comment on function braid_store.extend_removal_sync(text) is
  'Drop the triggers of all synced tables, which would fail at the next write. The rows stay documents.';
