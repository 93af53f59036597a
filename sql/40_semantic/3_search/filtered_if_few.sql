create or replace function braid_store.filtered_if_few(
  tenant_id int,
  collection braid_store.collections,
  shard braid_store.serving_shard,
  filter braid_store.filter,
  filter_share float8,
  candidate_count int
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- An HNSW index is followed to the 20,000 nearest vectors at most.
  c_index_reach constant int := 20000;
  c_small_share constant float8 := 1 / 32.0;
  v_max_count int;
  v_chunk_ids bigint[];
begin
  if filter.source is not null then
    if filter_share > c_small_share then
      return null;
    end if;
  -- The filter has no index, so every chunk would have to be read. That pays only if the HNSW index would not find
  -- enough matches, which a larger sample has to confirm.
  elsif filter_share > 0
        or c_index_reach * braid_store.filter_share(tenant_id, collection, shard.id, filter, 1000) >= candidate_count then
    return null;
  end if;
  -- Few means: to compare them all takes no longer than to find enough of them by HNSW. A vector found by HNSW costs as
  -- much as six looked up by id.
  v_max_count := greatest(2000, sqrt(6.0 * candidate_count * coalesce(shard.vector_count, 0)));
  v_chunk_ids := braid_store.filtered_chunk_ids(tenant_id, collection.id, filter, v_max_count);
  return case when cardinality(v_chunk_ids) <= v_max_count then v_chunk_ids end;
end
$$;

comment on function braid_store.filtered_if_few(int, braid_store.collections, braid_store.serving_shard,
                                                braid_store.filter, float8, int) is
  'The chunks that pass a filter, if they are so few that to compare the query with all of them is the fastest '
  'way; else null. filter_share: the share of the vectors that pass the filter, from a small sample.';
