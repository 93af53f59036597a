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
  E'Show the progress of synced tables: one row for each.\n'
  'state: backfill (all rows are being read), sweep (documents without a row are looked for), follow, or end (after '
  'unsync_table, while documents are deleted). It is dropped, no collection or no tenant if the table, the '
  'collection or the tenant is gone. waiting_count: changed rows that wait. failed_count: waiting rows that failed '
  'and are tried again later. seconds_left: the remaining time of a backfill, by its speed so far; null if the table '
  'was not analyzed yet. Only services and administrators may call it.';
