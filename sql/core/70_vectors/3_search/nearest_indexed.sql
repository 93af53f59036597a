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
  out distances float8[],
  out places int[],
  out tenth_distance float8
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- The planner has no statistics of tenants' data, so by default it would scan the whole table and sort. These settings
-- make it prefer the HNSW index. They do not forbid a scan, so the query also works if the index was dropped.
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
  v_sort_key text := (braid_store.shard_order(shard.storage, shard.index_type, space.dimensions,
    space.distance)).sort_key;
begin
  -- The settings are restored below. The function's definition cannot set them: before pgvector is loaded, only a
  -- superuser may name its settings there.
  perform set_config('hnsw.ef_search', least(greatest(nearest_indexed.ef_search, 1), 1000)::text, true),
          set_config('hnsw.iterative_scan', case when is_iterative then 'relaxed_order' else 'off' end, true),
          set_config('hnsw.max_scan_tuples', '20000', true);
  -- A look-up for each row keeps the order in which the index returns the rows. To sort by the same order again, the
  -- planner would read all rows first.
  execute format($query$
    select coalesce(array_agg(n.chunk_id), '{}'), coalesce(array_agg(n.distance), '{}'), coalesce(array_agg(n.place),
      '{}'),
           max(n.tenth_distance)
    from (
      select %6$s as chunk_id, v.distance, v.place, v.tenth_distance
      from (
        select v.*, %7$s
        from (
          select %9$s, v.embedding::@vector@.vector %1$s $1 as distance, %8$s as place
          from braid_store.vectors_%2$s v
          where v.tenant_id = $2 and not v.is_duplicate
          order by %5$s
        ) v
      ) v
      %3$s
      where %4$s
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
    v_sort_key, v_chunk_id,
    case when filter.is_empty then 'null::float8 as tenth_distance'
         else 'max(case when v.place <= 10 then v.distance end) over (rows unbounded preceding) as tenth_distance' end,
    case when filter.is_empty then 'null::int' else 'row_number() over ()::int' end,
    -- The windows copy each row, so a row has its vector only where duplicates are looked up by it.
    case when shard.duplicate_count > 0 then 'v.*' else 'v.chunk_id' end)
  into chunk_ids, distances, places, tenth_distance
  using query_embedding, tenant_id, collection.id, collection.vector_space_id, max_count;
  if shard.duplicate_count > 0 then
    -- If two equal vectors are both in the index (see hashed_batch), they represent the same chunks.
    select coalesce(array_agg(n.chunk_id), '{}'), coalesce(array_agg(n.distance), '{}'), coalesce(array_agg(n.place),
      '{}')
    into chunk_ids, distances, places
    from (
      select u.chunk_id, min(u.distance) as distance, min(u.place) as place
      from unnest(nearest_indexed.chunk_ids, nearest_indexed.distances, nearest_indexed.places) u (chunk_id, distance,
        place)
      group by u.chunk_id
      order by min(u.place)
    ) n;
  end if;
  perform set_config('hnsw.ef_search', v_ef_search, true),
          set_config('hnsw.iterative_scan', v_iterative_scan, true),
          set_config('hnsw.max_scan_tuples', v_max_scan_tuples, true);
end
$$;

comment on function braid_store.nearest_indexed(int, braid_store.collections, braid_store.vector_spaces,
                                                braid_store.serving_shard, @vector@.vector, braid_store.filter, int,
                                                int, boolean, boolean) is
  'Find vectors of a shard near a query by its HNSW index, and return their exact distances. The result is '
  'approximate, and may have fewer than max_count vectors even if more exist. is_iterative: the scan continues until '
  'enough vectors pass the filter. has_written: vectors that chunk_vectors overrides are left out. places: for each '
  'chunk, how many vectors the index had returned by then, in ascending order; nulls without a filter. '
  'tenth_distance: the largest distance among the first ten vectors of the index, whether or not they pass the '
  'filter; null without a filter.';
