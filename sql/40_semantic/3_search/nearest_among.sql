create or replace function braid_store.nearest_among(
  tenant_id int,
  collection braid_store.collections,
  distance text,
  shard_id int,
  query_embedding @vector@.vector,
  filtered_ids bigint[],
  out chunk_ids bigint[],
  out distances float8[]
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  execute format($query$
    select coalesce(array_agg(n.chunk_id), '{}'), coalesce(array_agg(n.distance), '{}')
    from (
      select u.chunk_id, %s as distance
      from unnest($3) u (chunk_id)
      left join lateral (
        select v.embedding from braid_store.chunk_vectors v
        where v.tenant_id = $2 and v.collection_id = $4 and v.vector_space_id = $5 and v.chunk_id = u.chunk_id
        offset 0
      ) w on true
      %s
    ) n
    where n.distance is not null
    $query$,
    case when shard_id is null then format('w.embedding %s $1', braid_store.distance_operator(distance))
         else format('coalesce(w.embedding %1$s $1, s.embedding::@vector@.vector %1$s $1)',
                     braid_store.distance_operator(distance)) end,
    case when shard_id is not null then
      format('left join lateral (select s.embedding from braid_store.vectors_%s s '
             'where s.tenant_id = $2 and s.chunk_id = u.chunk_id and w.embedding is null offset 0) s on true', shard_id)
    end)
  into chunk_ids, distances
  using query_embedding, tenant_id, filtered_ids, collection.id, collection.vector_space_id;
end
$$;

comment on function braid_store.nearest_among(int, braid_store.collections, text, int, @vector@.vector, bigint[]) is
  'The distances from a query vector to given chunks, in no order. Chunks without a vector are left out.';
