create or replace function braid_store.sample_queries(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  query_count int,
  moved_by float8 default 0.5,
  is_random boolean default false
)
returns @vector@.vector[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_queries @vector@.vector[];
begin
  -- The vectors of questions lie near the vectors of documents, not on them. This makes their neighbours harder to
  -- find: the index links stored vectors, so a stored vector leads straight to its neighbours. Questions differ from
  -- documents like documents from each other. So a query is a stored vector plus half of the difference of two others:
  -- its neighbours are as far as a question's.
  execute format($query$
    with stored as materialized (
      select n, v.embedding, row_number() over (order by random()) as place, count(*) over () as count
      from (select min(chunk_id) as low, max(chunk_id) as high from braid_store.vectors_%1$s where tenant_id = $1) b,
           -- The intervals vary at random. At fixed intervals, the sample could consist of vectors of one kind, for
           -- example if every hundredth is of that kind.
           (select n, n + random() as place from generate_series(0, $2 - 1) n offset 0) p,
           lateral (
             select v.embedding::@vector@.vector as embedding from braid_store.vectors_%1$s v
             where v.tenant_id = $1 and v.chunk_id >= b.low + ((b.high - b.low) * p.place / $2)::bigint
             order by v.chunk_id limit 1
           ) v
    )
    select array_agg(
             case when $5 = 0 then v.embedding
                  else array(
                    select least($4, greatest(-$4, u.x + $5 * case
                      when $6 then random_normal(0, @vector@.vector_norm(v.embedding) / sqrt($3::float8))
                      else u.y - u.z::float8 end))
                    from unnest(v.embedding::real[], y.embedding::real[], z.embedding::real[]) u (x, y, z)
                  )::@vector@.vector end
             order by v.n)
    from stored v
    join stored y on y.place = v.place %% v.count + 1
    join stored z on z.place = (v.place + 1) %% v.count + 1
    $query$, shard.id)
  into v_queries
  using shard.tenant_id, query_count, space.dimensions,
        case shard.storage when 'halfvec' then 65504 else 1e30 end::float8, moved_by, is_random;
  return v_queries;
end
$$;

comment on function braid_store.sample_queries(braid_store.vector_shards, braid_store.vector_spaces, int, float8,
                                               boolean) is
  'Make queries like the real queries of a shard: stored vectors, each moved by moved_by times the difference of two'
  ' others. is_random: each is moved by moved_by times its length in a random direction instead. If moved_by is 0, '
  'the vectors stay as they are stored. Return null if the shard has no vectors.';
