create or replace function braid_store.note_due(tenant_id int, collection_id int)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  -- Has an id before it looks: open_transactions, asked after a note was locked, then knows of it.
  perform pg_current_xact_id();
  -- Without a lock, which would make the note a hot row. xmax is that of the row as it is now, whatever this snapshot
  -- shows: once maintenance has locked, changed or deleted it, it is no longer 0.
  if not exists (
    select from braid_store.due_parts d
    where d.tenant_id = note_due.tenant_id and d.collection_id = note_due.collection_id and d.task = 'visit'
      and d.awaits is null and d.due_at <= clock_timestamp() and d.xmax = 0)
  then
    insert into braid_store.due_parts (tenant_id, collection_id, task)
    values (note_due.tenant_id, note_due.collection_id, 'visit');
  end if;
end
$$;

comment on function braid_store.note_due(int, int) is
  'Notes, after a write, that maintenance is to visit a tenant''s part of a collection, unless that is noted already.';
