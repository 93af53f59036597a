create or replace function braid_store.index_recall_curve(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  queries @vector@.vector[],
  further_widths int[],
  hundred_count int
)
returns jsonb
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
  v_curve_10 float8[] := '{}'; -- the two at each width: v_curve_10[width][query]
  v_curve_100 float8[] := '{}';
  v_asked int[]; -- indices of the queries that have not found everything yet
  v_last int;
  v_is_settled boolean := false;
begin
  if v_query_count is null or v_query_count = 0 then
    return null;
  end if;
  v_exact := braid_store.exact_distances(shard, space, v_queries);

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
      if v_index_recalls_100[v_asked[v_place]] is not null then
        v_index_recalls_100[v_asked[v_place]] := v_index_recalls.index_recalls_100[v_place];
      end if;
    end loop;
    v_curve_10 := v_curve_10 || array[v_index_recalls_10];
    v_curve_100 := v_curve_100 || array[v_index_recalls_100];
    v_asked := array(select p from generate_series(1, v_query_count) p
                     where least(v_index_recalls_10[p], v_index_recalls_100[p]) < 1);
    exit when v_asked = '{}';
    -- Wider searches are slow to measure. They could find too few more vectors to change the result of
    -- choose_ef_search.
    v_is_settled := v_ef_search >= all (index_recall_curve.further_widths) and (
      select avg(1 - u.index_recall_10) + stddev(u.index_recall_10) / sqrt(v_query_count) <= 0.0075
             and avg(u.index_recall_100) - stddev(u.index_recall_100) / sqrt(count(u.index_recall_100)) >= 0.98
      from unnest(v_index_recalls_10, v_index_recalls_100) u (index_recall_10, index_recall_100));
    exit when v_is_settled;
  end loop;
  v_last := array_length(v_curve_10, 1);

  return (
    select jsonb_agg(jsonb_build_object(
             'ef_search', v_widths[m.w], 'index_recall_10', m.index_recall_10, 'error_10', m.error_10,
             'index_recall_100', m.index_recall_100, 'error_100', m.error_100, 'missed', m.missed,
             'missed_error', m.missed_error) order by m.w)
    from (
      select w, avg(v_curve_10[w][q]) as index_recall_10, avg(v_curve_100[w][q]) as index_recall_100,
             coalesce(stddev(v_curve_10[w][q]), 0) / sqrt(v_query_count) as error_10,
             coalesce(stddev(v_curve_100[w][q]), 0) / sqrt(count(v_curve_100[w][q])) as error_100,
             avg(case when v_is_settled then 1 else v_curve_10[v_last][q] end - v_curve_10[w][q]) as missed,
             coalesce(stddev(case when v_is_settled then 1 else v_curve_10[v_last][q] end - v_curve_10[w][q]), 0)
               / sqrt(v_query_count) as missed_error
      from generate_series(1, v_last) w, generate_series(1, v_query_count) q
      group by w
    ) m);
end
$$;

comment on function braid_store.index_recall_curve(braid_store.vector_shards, braid_store.vector_spaces,
                                                   @vector@.vector[], int[], int) is
  'Run queries on a shard''s HNSW index at growing widths, and compare the results with a scan. Return an array of '
  'JSON objects, ordered by ef_search. index_recall_10, index_recall_100: the mean share of the 10 and of the 100 '
  'nearest vectors found. error_10, error_100: the standard errors of these means. missed, missed_error: the share '
  'of the 10 nearest that the last width finds in addition, or, if the curve ended early, the share not found. The '
  'curve ends when everything is found, when wider searches cannot change the result of choose_ef_search, or at a '
  'quarter of the vectors. further_widths: additional widths to measure. hundred_count: the approximate number of '
  'queries that count for index_recall_100. The others are not run again once they have found their 10 nearest. '
  'Return null without queries.';
