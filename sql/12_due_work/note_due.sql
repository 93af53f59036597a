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
  -- Takes a transaction id before it looks. So open_transactions, if it is called after a note was locked, counts this
  -- transaction.
  perform pg_current_xact_id();
  -- Takes no lock, because then every writer would contend for the note. xmax is read from the row as it is now,
  -- whatever this snapshot shows: it is no longer 0 once maintenance has locked, changed or deleted the row.
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
  'Notes, after a write, that maintenance must visit a tenant''s part of a collection. Does nothing if that is noted '
  'already.';
