create or replace function braid_store.index_recall_curve(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  queries @vector@.vector[],
  further_widths int[],
  hundred_count int
)
returns braid_store.recall_curve
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
set work_mem = '64MB'
as $$
declare
  c_widths constant int[] := '{40,50,64,80,100,130,160,200,250,320,400,500,640,800,1000}';
  v_widths int[] := array(select distinct w from unnest(c_widths || index_recall_curve.further_widths) w
                          where w between 1 and 1000 order by w);
  -- indexed_candidates does not use the index for longer queries.
  v_queries @vector@.vector[] := case
    when shard.index_type = 'halfvec' and space.distance = 'l2'
      then array(select q from unnest(index_recall_curve.queries) q where @vector@.vector_norm(q) <= 65504)
    else index_recall_curve.queries end;
  v_query_count int := cardinality(v_queries);
  v_ef_search int;
  v_exact record;
  v_index_recalls record;
  v_index_recalls_10 float8[]; -- for each query, at the last width at which it was run
  v_index_recalls_100 float8[]; -- null for queries that do not count for index_recall_100
  v_found_distances float8[];
  v_asked int[]; -- indices of the queries that have not found everything yet
  v_curve braid_store.recall_curve;
begin
  if v_query_count is null or v_query_count = 0 then
    return null;
  end if;
  v_exact := braid_store.exact_distances(shard, space, v_queries);

  v_curve.widths := '{}';
  v_curve.index_recalls_10 := '{}';
  v_curve.index_recalls_100 := '{}';
  v_curve.found_distances := '{}';
  v_found_distances := array_fill('infinity'::float8, array[v_query_count]);
  v_index_recalls_10 := array_fill(0::float8, array[v_query_count]);
  -- The queries are spread evenly, because the sample is in the order in which its vectors were stored.
  v_index_recalls_100 := array(
    select case when p % greatest(v_query_count / nullif(index_recall_curve.hundred_count, 0), 1) = 0 then 0 end::float8
    from generate_series(0, v_query_count - 1) p order by p);
  v_asked := array(select generate_series(1, v_query_count));
  foreach v_ef_search in array v_widths loop
    -- Searching a quarter of the vectors by the index takes longer than scanning all of them.
    exit when v_ef_search > greatest(100, shard.vector_count / 4);
    select r.* into v_index_recalls
    from (
           select array_agg(v_queries[p] order by p) as queries,
                  array_agg(v_exact.counts[p] order by p) as counts, array_agg(v_exact.tenth[p] order by p) as tenth,
                  array_agg(v_exact.last[p] order by p) as last
           from unnest(v_asked) p
         ) a,
         braid_store.query_index_recalls(shard, space, a.queries, a.counts, a.tenth, a.last, v_ef_search) r;
    for v_place in 1 .. cardinality(v_asked) loop
      v_index_recalls_10[v_asked[v_place]] := v_index_recalls.index_recalls_10[v_place];
      v_found_distances[v_asked[v_place]] := coalesce(
        v_index_recalls.found_distances[v_place]
        / case when space.distance = 'inner_product'
            then nullif(@vector@.vector_norm(v_queries[v_asked[v_place]]), 0) else 1 end, 'infinity');
      if v_index_recalls_100[v_asked[v_place]] is not null then
        v_index_recalls_100[v_asked[v_place]] := v_index_recalls.index_recalls_100[v_place];
      end if;
    end loop;
    v_curve.widths := v_curve.widths || v_ef_search;
    v_curve.index_recalls_10 := v_curve.index_recalls_10 || array[v_index_recalls_10];
    v_curve.index_recalls_100 := v_curve.index_recalls_100 || array[v_index_recalls_100];
    v_curve.found_distances := v_curve.found_distances || array[v_found_distances];
    v_asked := array(select p from generate_series(1, v_query_count) p
                     where least(v_index_recalls_10[p], v_index_recalls_100[p]) < 1);
    exit when v_asked = '{}';
    -- Wider searches are slow to measure. They could find too few more vectors to change the result of
    -- choose_ef_search.
    v_curve.is_settled := v_ef_search >= all (index_recall_curve.further_widths) and (
      select avg(1 - u.index_recall_10) + stddev(u.index_recall_10) / sqrt(v_query_count) <= 0.0075
             and avg(u.index_recall_100) - stddev(u.index_recall_100) / sqrt(count(u.index_recall_100)) >= 0.98
      from unnest(v_index_recalls_10, v_index_recalls_100) u (index_recall_10, index_recall_100));
    exit when v_curve.is_settled;
  end loop;
  return v_curve;
end
$$;

comment on function braid_store.index_recall_curve(braid_store.vector_shards, braid_store.vector_spaces,
                                                   @vector@.vector[], int[], int) is
  'Run queries on a shard''s HNSW index at growing widths, and compare the results with a scan. The curve ends when '
  'everything is found, when wider searches cannot change the result of choose_ef_search, or at a quarter of the '
  'vectors. further_widths: additional widths to measure. hundred_count: the approximate number of '
  'queries that count for index_recall_100. The others are not run again once they have found their 10 nearest. '
  'Return null without queries.';
