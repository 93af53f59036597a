create or replace function braid_store.vectors_of(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  shard braid_store.serving_shard
)
returns @vector@.vector[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select e.embedding
    from unnest(vectors_of.chunk_ids) with ordinality u (chunk_id, place)
    left join braid_store.stored_embeddings(vectors_of.tenant_id, vectors_of.collection, vectors_of.chunk_ids,
                                            vectors_of.shard) e on e.chunk_id = u.chunk_id
    order by u.place);
end
$$;

comment on function braid_store.vectors_of(int, braid_store.collections, bigint[], braid_store.serving_shard) is
  'Return the vectors of chunks in the order of chunk_ids; null for a chunk without one. shard: as in nearest_among.';
