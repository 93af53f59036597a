create or replace function braid_store.serving_shard(
  tenant_id int,
  collection braid_store.collections,
  out id int,
  out storage text,
  out vector_count bigint,
  out ef_search int,
  out ef_search_100 int,
  out is_indexed boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  select s.id, s.storage, s.vector_count, s.ef_search, s.ef_search_100
  into id, storage, vector_count, ef_search, ef_search_100
  from braid_store.vector_shards s
  where s.tenant_id = serving_shard.tenant_id and s.collection_id = serving_shard.collection.id
    and s.vector_space_id = serving_shard.collection.vector_space_id and s.state = 'serving';
  is_indexed := id is not null and coalesce(
    (select i.indisvalid and i.indisready from pg_index i
     where i.indexrelid = to_regclass(format('braid_store.vectors_%s_hnsw', id))), false);
end
$$;

comment on function braid_store.serving_shard(int, braid_store.collections) is
  'The vector shard that serves a tenant''s part of a collection, if it has one, and whether its index can be used.';
