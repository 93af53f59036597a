create or replace function braid_store.measure_recall(
  shard braid_store.vector_shards,
  collection braid_store.collections,
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
as $$
#variable_conflict use_variable
declare
  c_query_count constant int := 100;
  v_space braid_store.vector_spaces;
  v_queries @vector@.vector[];
  v_query @vector@.vector;
  v_exact jsonb[] := '{}';
  v_count int;
  v_ef_search int;
  v_recall float8;
begin
  select s.* into strict v_space from braid_store.vector_spaces s where s.id = shard.vector_space_id;
  -- Questions lie beside documents, not on them, which makes their nearest vectors harder to find. So a query is a
  -- stored vector plus one and a half times its length in a random direction.
  execute format($query$
    select array(select array(
      select least($4, greatest(-$4, x + random_normal(0, 1.5 * @vector@.vector_norm(v.embedding) / sqrt($3::float8))))
      from unnest(v.embedding::real[]) x
    )::@vector@.vector
    from (select min(chunk_id) as low, max(chunk_id) as high from braid_store.vectors_%1$s where tenant_id = $1) b,
         generate_series(0, $2 - 1) n,
         lateral (
           select v.chunk_id, v.embedding::@vector@.vector as embedding from braid_store.vectors_%1$s v
           where v.tenant_id = $1 and v.chunk_id >= b.low + ((b.high - b.low) * (n + 0.5::float8) / $2)::bigint
           order by v.chunk_id limit 1
         ) v)
    $query$, shard.id)
  into v_queries
  using shard.tenant_id, c_query_count, v_space.dimensions,
        case shard.storage when 'halfvec' then 65504 else 1e30 end::float8;

  foreach v_query in array v_queries loop
    v_exact := v_exact || (
      select jsonb_agg(u.distance order by u.distance)
      from braid_store.nearest_exact(shard.tenant_id, collection, v_space.distance, shard.id, false, v_query,
                                     braid_store.no_filter(), 100) n,
           unnest(n.distances) u (distance));
  end loop;
  foreach v_count in array '{10,100}'::int[] loop
    foreach v_ef_search in array '{40,64,80,100,130,160,200,250,320,400,500,640,800,1000}'::int[] loop
      continue when v_ef_search < v_count;
      v_recall := (
        select sum(f.hits)::float8 / sum(e.count)
        from (select unnest(v_exact) as nearest, generate_subscripts(v_exact, 1) as place) q,
             lateral (select least(v_count, jsonb_array_length(q.nearest)) as count) e,
             lateral (
               -- A vector that is as near counts as found, since of many equal vectors any will do.
               select count(*) filter (where f.distance <= w.distance + 1e-6 * abs(w.distance)) as hits
               from (select (q.nearest ->> (e.count - 1))::float8 as distance) w,
                    (
                      select u.distance
                      from braid_store.nearest_indexed(
                             shard.tenant_id, collection, v_space, shard.id, shard.storage, v_queries[q.place],
                             braid_store.no_filter(), case when shard.storage = 'binary' then v_ef_search else v_count end, v_ef_search, false,
                             false) n,
                           unnest(n.distances) u (distance)
                      order by u.distance
                      limit e.count
                    ) f
             ) f);
      -- The last of 100 are the hardest to find. They matter when a filter leaves only 10 of the 100.
      exit when v_recall >= case v_count when 10 then 0.995 else 0.99 end;
    end loop;
    if v_count = 10 then
      ef_search := v_ef_search;
      recall := v_recall;
    else
      ef_search_100 := v_ef_search;
    end if;
  end loop;
end
$$;

comment on function braid_store.measure_recall(braid_store.vector_shards, braid_store.collections) is
  'Measures how widely a shard''s HNSW index must be searched, with 100 sample queries. ef_search: the lowest '
  'hnsw.ef_search at which it finds 99.5 % of the 10 nearest vectors; ef_search_100: that at which it finds 99 % of '
  'the 100 nearest; 1000 if none is enough. recall: the share of the 10 nearest found at ef_search, from 0 to 1.';
