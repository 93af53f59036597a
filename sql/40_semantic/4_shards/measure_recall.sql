create or replace function braid_store.measure_recall(
  shard braid_store.vector_shards,
  out ef_search int,
  out ef_search_100 int,
  out recall float8
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
set work_mem = '64MB'
as $$
declare
  c_widths constant int[] := '{40,50,64,80,100,130,160,200,250,320,400,500,640,800,1000}';
  v_query_count int := 100;
  v_space braid_store.vector_spaces;
  v_queries @vector@.vector[];
  v_exact record;
  v_recalls record;
  v_recalls_10 float8[]; -- of each query, with the last width at which it was asked
  v_recalls_100 float8[];
  v_curve_10 float8[] := '{}'; -- the two at each width: v_curve_10[width][query]
  v_curve_100 float8[] := '{}';
  v_asked int[]; -- places of the queries of which not all is found yet
  v_last int;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = shard.vector_space_id;
  v_queries := braid_store.sample_queries(shard, v_space, v_query_count);
  v_query_count := cardinality(v_queries);
  if v_query_count is null then
    return;
  end if;
  execute format($query$
    select array_agg(cardinality(e.nearest) order by q.place) as counts,
           array_agg(e.nearest[least(10, cardinality(e.nearest))] order by q.place) as tenth,
           array_agg(e.nearest[cardinality(e.nearest)] order by q.place) as last
    from unnest($2) with ordinality q (query, place),
         lateral (
           select array(
             select v.distance
             from (
               select v.embedding::@vector@.vector %1$s q.query as distance from braid_store.vectors_%2$s v
               where v.tenant_id = $1
               offset 0
             ) v
             order by v.distance limit 100) as nearest
           offset 0
         ) e
    $query$, braid_store.distance_operator(v_space.distance), shard.id)
  into v_exact
  using shard.tenant_id, v_queries;

  v_recalls_10 := array_fill(0::float8, array[v_query_count]);
  v_recalls_100 := v_recalls_10;
  v_asked := array(select generate_series(1, v_query_count));
  foreach ef_search in array c_widths loop
    -- To search a quarter of the vectors by the index takes longer than to scan them all.
    exit when ef_search > greatest(100, shard.vector_count / 4);
    select r.* into v_recalls
    from (
           select array_agg(v_queries[p] order by p) as queries,
                  array_agg(v_exact.counts[p] order by p) as counts, array_agg(v_exact.tenth[p] order by p) as tenth,
                  array_agg(v_exact.last[p] order by p) as last
           from unnest(v_asked) p
         ) a,
         braid_store.query_recalls(shard, v_space, a.queries, a.counts, a.tenth, a.last, ef_search) r;
    for v_place in 1 .. cardinality(v_asked) loop
      v_recalls_10[v_asked[v_place]] := v_recalls.recalls_10[v_place];
      v_recalls_100[v_asked[v_place]] := v_recalls.recalls_100[v_place];
    end loop;
    v_curve_10 := v_curve_10 || array[v_recalls_10];
    v_curve_100 := v_curve_100 || array[v_recalls_100];
    v_asked := array(select p from generate_series(1, v_query_count) p where least(v_recalls_10[p], v_recalls_100[p]) < 1);
    exit when v_asked = '{}';
  end loop;
  v_last := array_length(v_curve_10, 1);

  with measured as (
    select w, avg(v_curve_10[w][q]) as recall_10, avg(v_curve_100[w][q]) as recall_100,
           avg(v_curve_10[v_last][q] - v_curve_10[w][q]) as missed,
           coalesce(stddev(v_curve_10[v_last][q] - v_curve_10[w][q]), 0) / sqrt(v_query_count) as missed_error,
           coalesce(stddev(v_curve_100[w][q]), 0) / sqrt(v_query_count) as error_100
    from generate_series(1, v_last) w, generate_series(1, v_query_count) q
    group by w
  ), best as (
    select m.recall_10, m.recall_100 from measured m where m.w = v_last
  )
  select c_widths[min(m.w) filter (where m.missed + m.missed_error <= 0.0075 and m.recall_10 >= least(0.985, b.recall_10))],
         c_widths[coalesce(min(m.w) filter (where m.recall_100 - m.error_100 >= 0.98), v_last)]
  into ef_search, ef_search_100
  from measured m, best b;
  recall := (select avg(v_curve_10[array_position(c_widths, ef_search)][q]) from generate_series(1, v_query_count) q);
end
$$;

comment on function braid_store.measure_recall(braid_store.vector_shards) is
  'Measures how widely a shard''s HNSW index must be searched, with 100 sample queries. ef_search: the lowest '
  'hnsw.ef_search at which it finds 98.5 % of the 10 nearest vectors, and hardly more if it searches further; '
  'ef_search_100: that at which it finds 98 % of the 100 nearest, or the highest. recall: the share of the 10 nearest '
  'found at ef_search, from 0 to 1.';
