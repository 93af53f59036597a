create or replace function braid_store.candidate_vectors(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns @vector@.vector[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(
    select e.embedding
    from unnest(candidate_vectors.chunk_ids) with ordinality u (chunk_id, place)
    left join braid_store.stored_embeddings(tenant_id, collection, chunk_ids) e on e.chunk_id = u.chunk_id
    order by u.place);
end
$$;

comment on function braid_store.candidate_vectors(int, braid_store.collections, bigint[]) is
  'Return the stored vectors of chunks, in the order of the chunks; null for a chunk without a vector.';
