-- role: service
-- standby: no
-- example: braid.sync_status()
-- page: guide/sync.md
create or replace function braid.sync_status()
returns table (
  table_name text,
  collection text,
  tenant text,
  state text,
  row_estimate bigint,
  document_count bigint,
  waiting_count bigint,
  failed_count bigint,
  last_error text,
  rows_per_second float8,
  seconds_left float8
)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select s.*
  from braid_store.sync_states() s;
$$;

comment on function braid.sync_status() is
  E'Show how far the synced tables are: one row for each.\n'
  'state: backfill (all rows are being read), sweep (documents without a row are looked for), follow; end (after '
  'unsync_table, while documents are deleted); dropped, no collection or no tenant if these are gone. waiting_count: '
  'changed rows that wait; failed_count: those of them that failed and are tried again later. seconds_left: of a '
  'backfill, by its speed so far; null if the table was not analyzed yet. Only services and administrators may call '
  'it.';
