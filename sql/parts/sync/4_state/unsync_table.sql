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
  E'End what sync_table began: drop the triggers on the table and delete the documents that its rows were.\n'
  'table_name: the table, with its schema. keep_documents: true leaves the documents.\n'
  'Delete for five seconds; apply_changes deletes what is left then, and sync_status shows the table until it has. '
  'Return how many were deleted. For administrators who own the table and may write for its tenants.';
