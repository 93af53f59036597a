create or replace function braid_store.similarities(
  tenant_id int,
  collection braid_store.collections,
  query_embedding @vector@.vector,
  chunk_ids bigint[]
)
returns table (chunk_id bigint, score float8)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select u.chunk_id, case s.distance when 'cosine' then 1 - u.distance when 'inner_product' then -u.distance
                                   else 1 / (1 + u.distance) end
  from braid_store.vector_spaces s,
       braid_store.nearest_among(similarities.tenant_id, similarities.collection, s.distance, null,
                                 similarities.query_embedding, similarities.chunk_ids) n,
       unnest(n.chunk_ids, n.distances) u (chunk_id, distance)
  where s.id = (similarities.collection).vector_space_id and similarities.query_embedding is not null;
$$;

comment on function braid_store.similarities(int, braid_store.collections, @vector@.vector, bigint[]) is
  'Return the similarities of chunks to a query vector, computed as in semantic search. Chunks without a vector are '
  'left out. There are no rows if query_embedding is null.';
