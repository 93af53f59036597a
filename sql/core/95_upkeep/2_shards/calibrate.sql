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
  E'Measure on this machine from how many vectors on an HNSW index is faster than a scan, and set this number for all '
  'collections.\n'
  'Before the first call, the number is 8000, for vectors of 384 dimensions. A call takes about ten seconds; run it '
  'when little else runs. maintain() then makes or gives up vector shards to match.\n'
  'Return the measurements as a JSON object.\n'
  'exact_rows: the number that was set. scan_ms_per_1000: the milliseconds that a scan of 1000 vectors of 384 '
  'dimensions takes. search_ms: the milliseconds that a search by the index takes.\n'
  'Only administrators may call it.';
