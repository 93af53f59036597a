create or replace function braid_store.exact_distances(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  queries @vector@.vector[],
  out counts int[],
  out tenth float8[],
  out last float8[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
set work_mem = '64MB'
-- These settings are changed below, and restored when the function ends.
set enable_seqscan = on
set enable_indexscan = on
set enable_bitmapscan = off
set enable_sort = on
set enable_material = off
set parallel_setup_cost = 0
set parallel_tuple_cost = 0
set min_parallel_table_scan_size = 0
as $$
declare
  -- This call loads pgvector's library, which defines its settings.
  v_dimensions int := @vector@.vector_dims(queries[1]);
  v_ef_search text := current_setting('hnsw.ef_search');
  v_iterative_scan text := current_setting('hnsw.iterative_scan');
  v_distance text := braid_store.distance_operator(space.distance);
  v_bounds float8[];
begin
  -- The hundredth vector that the index finds, duplicates included, bounds the hundred nearest: none of them is
  -- farther. If the index finds fewer, all distances are kept, because no number is greater than NaN.
  perform set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
          set_config('hnsw.ef_search', case when shard.storage = 'binary' then '1000' else '100' end, true),
          set_config('hnsw.iterative_scan', 'relaxed_order', true);
  execute format($query$
    select array_agg(coalesce(f.distances[100], 'NaN') order by q.place)
    from unnest($2) with ordinality q (query, place),
         lateral (
           select array_agg(n.distance order by n.distance) as distances
           from (
             select v.embedding::@vector@.vector %1$s q.query as distance
             from braid_store.vectors_%2$s v %4$s
             where v.tenant_id = $1 and not v.is_duplicate
             order by %3$s
             limit $3
           ) n
         ) f
    $query$,
    v_distance, shard.id,
    replace((braid_store.shard_order(shard.storage, shard.index_type, space.dimensions, space.distance)).sort_key,
            '$1', 'q.query'),
    case when shard.duplicate_count > 0 then 'cross join ' || braid_store.represented_rows(shard.id) end)
  into v_bounds
  using shard.tenant_id, queries, case when shard.storage = 'binary' then 1000 else 100 end;
  perform set_config('hnsw.ef_search', v_ef_search, true), set_config('hnsw.iterative_scan', v_iterative_scan, true),
          set_config('enable_seqscan', 'on', true), set_config('enable_sort', 'on', true),
          set_config('enable_indexscan', 'off', true);

  -- Each vector is read once and compared with all queries. Most vectors are beyond the bound and are dropped. Vectors
  -- exactly at the bound are dropped, too, because there may be very many of them; the bound itself fills the missing
  -- places. Parallel workers share the scan, as in filtered_by_reading.
  execute format($query$
    with nearest as materialized (
      select n.place, (array_agg(n.distance order by n.distance))[:100] as distances
      from (
        select q.place, s.embedding %1$s q.query as distance
        from (
               select v.embedding::@vector@.vector as embedding from braid_store.vectors_%2$s v
               where v.tenant_id = $1
               offset 0
             ) s,
             unnest($2, $3) with ordinality q (query, bound, place)
        where s.embedding %1$s q.query < q.bound
      ) n
      group by n.place
    )
    select array_agg(case when q.bound = 'NaN' then coalesce(cardinality(n.distances), 0) else 100 end
      order by q.place),
           array_agg(case when q.bound = 'NaN' then n.distances[least(10, cardinality(n.distances))]
                          else coalesce(n.distances[10], q.bound) end order by q.place),
           array_agg(case when q.bound = 'NaN' then n.distances[cardinality(n.distances)]
                          else coalesce(n.distances[100], q.bound) end order by q.place)
    from unnest($2, $3) with ordinality q (query, bound, place)
    left join nearest n on n.place = q.place
    $query$, v_distance, shard.id)
  into counts, tenth, last
  using shard.tenant_id, queries, v_bounds;
end
$$;

comment on function braid_store.exact_distances(braid_store.vector_shards, braid_store.vector_spaces, @vector@.vector[])
                                                is
  'Scan a shard, and return the distances from each query to its nearest vectors: to the tenth and the hundredth '
  '(last), or to the last if there are fewer. counts: how many nearest vectors there are, at most 100.';
