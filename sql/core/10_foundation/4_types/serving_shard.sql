create type braid_store.serving_shard as (
  id int,
  storage text,
  vector_count bigint,
  ef_search int,
  ef_search_100 int,
  is_indexed boolean,
  duplicate_count bigint,
  ef_search_fused int,
  has_written boolean,
  index_type text,
  far_distance float8,
  far_ef_search int
);

comment on type braid_store.serving_shard is
  'The vector shard that searches of a tenant read in a collection, and whether its index can be used (is_indexed). '
  'id is null if there is no shard.';
