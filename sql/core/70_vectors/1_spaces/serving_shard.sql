create or replace function braid_store.serving_shard(
  tenant_id int,
  collection braid_store.collections
)
returns braid_store.serving_shard
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return (
    select row(
             s.id, s.storage, s.vector_count, s.ef_search, s.ef_search_100,
             s.id is not null and coalesce(
               (select i.indisvalid and i.indisready from pg_index i
                where i.indexrelid = to_regclass(format('braid_store.vectors_%s_hnsw', s.id))::oid), false),
             s.duplicate_count, coalesce(s.ef_search_fused, s.ef_search),
             exists (
               select from braid_store.chunk_vectors v
               where v.tenant_id = serving_shard.tenant_id and v.collection_id = serving_shard.collection.id
                 and v.vector_space_id = serving_shard.collection.vector_space_id),
             s.index_type, s.far_distance, s.far_ef_search)::braid_store.serving_shard
    from (values (1)) one
    left join braid_store.vector_shards s
      on s.tenant_id = serving_shard.tenant_id and s.collection_id = serving_shard.collection.id
         and s.vector_space_id = serving_shard.collection.vector_space_id and s.state = 'serving'
    limit 1);
end
$$;

comment on function braid_store.serving_shard(int, braid_store.collections) is
  'Return the vector shard that searches of a tenant read in a collection. is_indexed: whether its HNSW index can be '
  'used. has_written: whether chunk_vectors has vectors as well. All other fields are null if no shard exists.';
