-- role: service
-- example: braid.check_sync(table_name => 'public.synced')
-- page: guide/sync.md
create or replace function braid.check_sync(table_name text)
returns table (tenant text, external_id text, problem text)
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select c.*
  from braid_store.compare_rows(check_sync.table_name) c;
$$;

comment on function braid.check_sync(text) is
  E'Name the rows of a synced table that differ from their documents or have none, and the documents that have no '
  'row.\n'
  'table_name: names the table, with its schema. problem: row without document, document differs from row, document '
  'without row, or row cannot be a document (and why). It names the triggers of the table that are not called if '
  'tenant and external_id are null.\n'
  'If table and documents agree, return no row. Call braid.apply_changes before, because pending changes are named '
  'too. It reads the whole table. To repair what is named, call braid.sync_table again. Only services and '
  'administrators may call it.';
