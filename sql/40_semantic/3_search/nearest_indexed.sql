create or replace function braid_store.nearest_indexed(
  tenant_id int,
  collection braid_store.collections,
  space braid_store.vector_spaces,
  shard braid_store.serving_shard,
  query_embedding @vector@.vector,
  filter braid_store.filter,
  max_count int,
  ef_search int,
  is_iterative boolean,
  has_written boolean,
  out chunk_ids bigint[],
  out distances float8[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- The planner, which has no statistics of what tenants store, would scan and sort. These settings only discourage that:
-- if the index is gone, it still happens.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  -- This call loads pgvector's library, which defines its settings.
  v_dimensions int := @vector@.vector_dims(query_embedding);
  v_chunk_id text := case when shard.duplicate_count > 0 then 'r.chunk_id' else 'v.chunk_id' end;
  v_ef_search text := current_setting('hnsw.ef_search');
  v_iterative_scan text := current_setting('hnsw.iterative_scan');
  v_max_scan_tuples text := current_setting('hnsw.max_scan_tuples');
  v_sort_key text := (braid_store.shard_order(shard.storage, shard.index_type, space.dimensions, space.distance)).sort_key;
begin
  -- Restored below. They cannot be set in the function's definition: before pgvector is loaded, only a superuser may
  -- name its settings there.
  perform set_config('hnsw.ef_search', least(greatest(nearest_indexed.ef_search, 1), 1000)::text, true),
          set_config('hnsw.iterative_scan', case when is_iterative then 'relaxed_order' else 'off' end, true),
          set_config('hnsw.max_scan_tuples', '20000', true);
  execute format($query$
    select coalesce(array_agg(n.chunk_id), '{}'), coalesce(array_agg(n.distance), '{}')
    from (
      select %6$s as chunk_id, v.embedding::@vector@.vector %1$s $1 as distance
      from braid_store.vectors_%2$s v
      %3$s
      where v.tenant_id = $2 and not v.is_duplicate and %4$s
      order by %5$s
      limit $5
    ) n
    $query$,
    braid_store.distance_operator(space.distance), shard.id,
    concat(
      case when shard.duplicate_count > 0 then 'cross join ' || braid_store.represented_rows(shard.id) end,
      case when not filter.is_empty then
        format(' cross join lateral (select from braid_store.chunks c '
               'where c.tenant_id = $2 and c.id between %1$s and %1$s and (%2$s) order by c.id offset 0) c',
               v_chunk_id, filter.predicate)
      end),
    case when has_written then replace(braid_store.not_overridden(), 'v.chunk_id', v_chunk_id) else 'true' end,
    v_sort_key, v_chunk_id)
  into chunk_ids, distances
  using query_embedding, tenant_id, collection.id, collection.vector_space_id, max_count;
  if shard.duplicate_count > 0 then
    -- Equal vectors that both stand in the index (see hashed_batch) stand for the same chunks.
    select coalesce(array_agg(n.chunk_id), '{}'), coalesce(array_agg(n.distance), '{}')
    into chunk_ids, distances
    from (
      select u.chunk_id, min(u.distance) as distance
      from unnest(nearest_indexed.chunk_ids, nearest_indexed.distances) u (chunk_id, distance)
      group by u.chunk_id
    ) n;
  end if;
  perform set_config('hnsw.ef_search', v_ef_search, true),
          set_config('hnsw.iterative_scan', v_iterative_scan, true),
          set_config('hnsw.max_scan_tuples', v_max_scan_tuples, true);
end
$$;

comment on function braid_store.nearest_indexed(int, braid_store.collections, braid_store.vector_spaces,
                                                braid_store.serving_shard, @vector@.vector, braid_store.filter, int, int, boolean, boolean) is
  'The vectors of a shard that are near a query, found by its HNSW index, with their exact distances. The result is '
  'approximate, and may have fewer than max_count even if there are more. is_iterative: the index goes on until '
  'enough vectors pass the filter. has_written: vectors that chunk_vectors overrides are left out.';
