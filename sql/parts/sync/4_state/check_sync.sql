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
  E'Name the rows of a synced table that are no documents, or others, and the documents that are no rows any more.\n'
  'table_name: the table, with its schema. problem: row without document, document differs from row, document '
  'without row, row cannot be a document (and why); or, with tenant and external_id null, which triggers of the '
  'table are not called. No row comes back if all is in step. Call braid.apply_changes before, since what waits is '
  'named too. Reads the whole table. To mend what is named, call braid.sync_table again. Only services and '
  'administrators may call it.';
