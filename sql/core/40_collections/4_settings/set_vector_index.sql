-- role: administrator
-- example: braid.set_vector_index(collection => 'small', hnsw_m => 8)
-- page: vectors.md#large-tenants
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
  E'Changes how large tenants'' vectors are stored and indexed in a collection.\n'
  'An argument that is null, as by default, keeps its setting. vector_storage: vector (up to 2000 dimensions; the index '
  'holds them as halfvec where it can), halfvec (up to 4000; vectors take half the space, too) or binary. hnsw_m, '
  'hnsw_ef_construction: pgvector''s parameters of HNSW indexes. maintain() makes new vector shards while the old ones go on serving searches. Numbers that halfvec has rounded stay '
  'rounded. For administrators.';
