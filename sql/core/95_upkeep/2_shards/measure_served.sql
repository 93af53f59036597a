create or replace function braid_store.measure_served(shard braid_store.vector_shards)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_space braid_store.vector_spaces;
  v_far_distance float8;
  v_far_ef_search int;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = shard.vector_space_id;
  -- Without its index there is nothing to measure; a new shard is made of it anyhow.
  if braid_store.has_hnsw(shard.id) then
    select f.far_distance, f.far_ef_search into v_far_distance, v_far_ef_search
    from braid_store.measure_far(shard, v_space, array[coalesce(shard.ef_search_fused, shard.ef_search)], '{}') f;
  end if;
  update braid_store.vector_shards s
  set far_distance = coalesce(v_far_distance, 'infinity'), far_ef_search = v_far_ef_search
  where s.tenant_id = shard.tenant_id and s.collection_id = shard.collection_id
    and s.vector_space_id = shard.vector_space_id and s.id = shard.id;
end
$$;

comment on function braid_store.measure_served(braid_store.vector_shards) is
  'Measures far_distance of a shard that serves, and was made before that was measured.';
