create or replace function braid_store.query_index_recalls(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  queries @vector@.vector[],
  nearest_counts int[],
  tenth_distances float8[],
  last_distances float8[],
  ef_search int,
  out index_recalls_10 float8[],
  out index_recalls_100 float8[],
  out found_distances float8[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings are changed below, and restored when the function ends.
set parallel_setup_cost = 1000
set parallel_tuple_cost = 0
as $$
declare
  -- A smaller index answers all queries in a tenth of a second, and a worker takes 30 ms of CPU to start.
  c_least_shared constant int := 50000;
  -- This call loads pgvector's library, which defines its settings.
  v_dimensions int := @vector@.vector_dims(queries[1]);
  v_ef_search text := current_setting('hnsw.ef_search');
  v_iterative_scan text := current_setting('hnsw.iterative_scan');
begin
  perform set_config('hnsw.ef_search', query_index_recalls.ef_search::text, true),
          set_config('hnsw.iterative_scan', 'off', true);
  -- As in posting_lists, the planner then lets a worker run half of the queries, because both calls seem cheap to it.
  if shard.vector_count >= c_least_shared then
    perform set_config('parallel_setup_cost', '0', true);
  end if;
  execute $query$
    select array_agg(r.index_recall_10 order by r.part, r.place),
           array_agg(r.index_recall_100 order by r.part, r.place),
           array_agg(r.found_distance order by r.part, r.place)
    from (
      select 1 as part, r.* from braid_store.asked_index_recalls($1, $2, $3[:$8], $4[:$8], $5[:$8], $6[:$8], $7) r
      union all
      select 2, r.*
      from braid_store.asked_index_recalls($1, $2, $3[$8 + 1 :], $4[$8 + 1 :], $5[$8 + 1 :], $6[$8 + 1 :], $7) r
    ) r
    $query$
  into index_recalls_10, index_recalls_100, found_distances
  using shard, space, queries, nearest_counts, tenth_distances, last_distances, query_index_recalls.ef_search,
        cardinality(queries) / 2;
  perform set_config('hnsw.ef_search', v_ef_search, true), set_config('hnsw.iterative_scan', v_iterative_scan, true);
end
$$;

comment on function braid_store.query_index_recalls(braid_store.vector_shards, braid_store.vector_spaces,
                                                    @vector@.vector[], int[], float8[], float8[], int) is
  'Return, for each query, the share of its 10 and of its 100 nearest vectors that a shard''s HNSW index finds with '
  'this hnsw.ef_search, from 0 to 1. nearest_counts: how many nearest vectors there are, at most 100. '
  'tenth_distances and last_distances are the distances of the tenth and the last of the nearest vectors. '
  'found_distances: the distance of the tenth nearest vector that the index finds.';
