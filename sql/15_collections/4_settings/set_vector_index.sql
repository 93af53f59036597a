create or replace function braid.set_vector_index(
  collection text,
  vector_storage text default null,
  hnsw_m int default null,
  hnsw_ef_construction int default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_vector_index(set_vector_index.collection, set_vector_index.vector_storage,
                                         set_vector_index.hnsw_m, set_vector_index.hnsw_ef_construction);
$$;

comment on function braid.set_vector_index(text, text, int, int) is
  'Changes how large tenants'' vectors are stored (vector, halfvec, binary) and indexed, for all tenants; null keeps a '
  'setting. maintain() makes new vector shards beside those that serve; searches go on. Vectors that halfvec has rounded '
  'stay rounded. For administrators.';
