create or replace function braid_store.asked_index_recalls(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  queries @vector@.vector[],
  nearest_counts int[],
  tenth_distances float8[],
  last_distances float8[],
  ef_search int
)
returns table (place bigint, index_recall_10 float8, index_recall_100 float8, found_distance float8)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner use the HNSW index, as in nearest_indexed.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
begin
  -- Vectors at the same distance count as found, because any of several equal vectors will do. Single precision
  -- resolves cosine distances to 6e-8, however small they are.
  return query execute format($query$
    select q.place, coalesce(least(1, f.count_10::float8 / nullif(least(10, q.nearest_count), 0)), 1),
           coalesce(least(1, f.count_100::float8 / nullif(q.nearest_count, 0)), 1),
           f.distances[least(10, cardinality(f.distances))]
    from (select u.*, 1e-6 * case when $7 then 1 else abs(u.tenth_distance) end as tenth_tolerance,
                 1e-6 * case when $7 then 1 else abs(u.last_distance) end as last_tolerance
          from unnest($2, $3, $4, $5) with ordinality
               u (query, nearest_count, tenth_distance, last_distance, place)) q,
         lateral (
           select count(*) filter (where n.distance <= q.tenth_distance + q.tenth_tolerance
             and n.place <= $8) as count_10,
                  count(*) filter (where n.distance <= q.last_distance + q.last_tolerance) as count_100,
                  array_agg(n.distance order by n.distance) as distances
           from (
             select n.distance, row_number() over () as place
             from (
               select v.embedding::@vector@.vector %1$s q.query as distance
               from braid_store.vectors_%2$s v %4$s
               where v.tenant_id = $1 and not v.is_duplicate
               order by %3$s
               limit $6
             ) n
           ) n
         ) f
    $query$,
    braid_store.distance_operator(space.distance), shard.id,
    replace((braid_store.shard_order(shard.storage, shard.index_type, space.dimensions, space.distance)).sort_key,
            '$1', 'q.query'),
    case when shard.duplicate_count > 0 then 'cross join ' || braid_store.represented_rows(shard.id) end)
  -- An index over bits orders its vectors only roughly, so all vectors that it finds are ranked. From an index over
  -- halfvec, a tenth more than needed, plus ten, are ranked.
  using shard.tenant_id, queries, nearest_counts, tenth_distances, last_distances,
        case when shard.storage = 'binary' then asked_index_recalls.ef_search
             when shard.index_type = 'halfvec' then 120 else 100 end,
        space.distance = 'cosine',
        case when shard.index_type = 'halfvec' then 21 else asked_index_recalls.ef_search end;
end
$$;

comment on function braid_store.asked_index_recalls(braid_store.vector_shards, braid_store.vector_spaces,
                                                    @vector@.vector[], int[], float8[], float8[], int) is
  'Do the work of query_index_recalls for a part of its queries; place is the query''s index in this part. The '
  'caller has set hnsw.ef_search. found_distance: the distance of the tenth nearest vector that the index finds, or '
  'of the last if it finds fewer.';
