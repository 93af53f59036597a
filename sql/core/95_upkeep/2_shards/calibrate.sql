-- role: administrator
-- example: braid.calibrate()
-- page: guide/vector-index.md
create or replace function braid.calibrate()
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.measure_exact_rows();
$$;

comment on function braid.calibrate() is
  E'Measure on this machine how many vectors it takes for an HNSW index to be faster than a scan, and sets this for '
  'all collections.\n'
  'Before the first call it is 8000 vectors of 384 dimensions. Take about ten seconds; run it when little else runs. '
  'maintain() then makes or gives up vector shards to match. Return the measurements: exact_rows, the number; '
  'scan_ms_per_1000, milliseconds to scan 1000 vectors of 384 dimensions; search_ms, milliseconds of a search by the '
  'index. Only administrators may call it.';
