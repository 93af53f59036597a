-- role: administrator
-- example: braid.unsync_table(table_name => 'public.synced')
-- page: guide/sync.md
create or replace function braid.unsync_table(table_name text, keep_documents boolean default false)
returns bigint
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.stop_sync(unsync_table.table_name, unsync_table.keep_documents);
$$;

comment on function braid.unsync_table(text, boolean) is
  E'End what sync_table began: drop the triggers on the table and delete the documents of its rows.\n'
  'table_name: names the table, with its schema. keep_documents: true leaves the documents.\n'
  'Deletion stops after five seconds; apply_changes deletes the rest, and sync_status shows the table until then. '
  'Return how many documents were deleted. For administrators who own the table and may write for its tenants.';
