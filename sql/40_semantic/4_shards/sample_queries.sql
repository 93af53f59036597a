create or replace function braid_store.sample_queries(
  shard braid_store.vector_shards,
  space braid_store.vector_spaces,
  query_count int,
  out queries @vector@.vector[],
  out left_out bigint[]
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  -- Questions lie among documents or beside them. So half of the queries are stored vectors; the others are stored
  -- vectors plus one and a half times their length in a random direction.
  execute format($query$
    select array_agg(
             case when mod(n, 2) = 0 then v.embedding else array(
               select least($4, greatest(-$4, x + random_normal(0, 1.5 * @vector@.vector_norm(v.embedding) / sqrt($3::float8))))
               from unnest(v.embedding::real[]) x)::@vector@.vector end
             order by n),
           array_agg(case when mod(n, 2) = 0 then v.chunk_id end order by n)
    from (select min(chunk_id) as low, max(chunk_id) as high from braid_store.vectors_%1$s where tenant_id = $1) b,
         generate_series(0, $2 - 1) n,
         lateral (
           select v.chunk_id, v.embedding::@vector@.vector as embedding from braid_store.vectors_%1$s v
           where v.tenant_id = $1 and v.chunk_id >= b.low + ((b.high - b.low) * (n + 0.5::float8) / $2)::bigint
           order by v.chunk_id limit 1
         ) v
    $query$, shard.id)
  into queries, left_out
  using shard.tenant_id, query_count, space.dimensions,
        case shard.storage when 'halfvec' then 65504 else 1e30 end::float8;
end
$$;

comment on function braid_store.sample_queries(braid_store.vector_shards, braid_store.vector_spaces, int) is
  'Makes queries like those that a shard may be asked, from its vectors. left_out: for each the chunk whose vector it '
  'is, which does not count as an answer to it; null if it is nobody''s.';
