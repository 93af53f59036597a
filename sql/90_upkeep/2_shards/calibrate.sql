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
  'Measures on this machine, in about ten seconds, from how many vectors on an HNSW index is faster than a scan, and sets '
  'that for all collections (8,000 vectors of 384 dimensions before). maintain() then makes and gives up vector shards '
  'accordingly. Returns what it measured. For administrators; run it when little else runs.';
