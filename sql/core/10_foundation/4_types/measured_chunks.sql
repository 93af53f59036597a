create type braid_store.measured_chunks as (
  chunk_ids bigint[],
  distances float8[]
);

comment on type braid_store.measured_chunks is
  'Chunks, parallel to the distances of their vectors from a query vector.';
