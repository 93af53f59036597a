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
  -- An existing note is relied on without a lock, which every writer would have to wait for. The note must not be
  -- deleted before this transaction has ended, or nobody would visit the rows written here. Two things see to that:
  -- 1. This transaction takes its id before it looks. Maintenance locks notes and then asks open_transactions for open
  --    writers (settle): these include every writer that looked before the lock.
  -- 2. A note that maintenance has locked, changed or deleted has an xmax other than 0, and is not relied on. A query
  --    reads xmax from the row as it is now, even if its snapshot is older.
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
  'Note that maintenance must visit a tenant''s part of a collection. Each write calls it. Do nothing if there is '
  'such a note already.';
