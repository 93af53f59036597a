create or replace function braid_store.max_similarities(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  query_vectors @vector@.halfvec[]
)
returns float8[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(
    select m.similarity
    from unnest(max_similarities.chunk_ids) with ordinality u (chunk_id, place)
    left join lateral (
      select t.vectors from braid_store.token_vectors t
      where t.tenant_id = max_similarities.tenant_id and t.collection_id = (max_similarities.collection).id
        and t.chunk_id = u.chunk_id and t.embedding_model = max_similarities.collection.parts ->> 'token_vector_model'
        and t.dimensions = (max_similarities.collection.parts ->> 'token_vector_dimensions')::int
      offset 0
    ) t on true
    left join lateral (
      -- Sum in order, so that the same vectors give the same sum to the last bit.
      select avg(n.nearest order by n.number) as similarity
      from (
        -- All vectors have length 1. min with one minus sign costs less than a minus sign for each pair.
        select q.number, -min(q.vector operator(@vector@.<#>) v.vector) as nearest
        from unnest(max_similarities.query_vectors) with ordinality q (vector, number), unnest(t.vectors) v (vector)
        group by q.number
      ) n
      offset 0
    ) m on true
    order by u.place);
end
$$;

comment on function braid_store.max_similarities(int, braid_store.collections, bigint[], @vector@.halfvec[]) is
  E'Return the similarity of each chunk''s tokens to a query''s tokens (MaxSim); null for a chunk without token '
  'vectors of the collection''s model.\n'
  'For each query vector, take the highest cosine with one of the chunk''s vectors; the similarity is the mean over '
  'the query''s vectors. It follows Khattab & Zaharia 2020, "ColBERT", equation 3, divided by the number of the '
  'query''s vectors.';
