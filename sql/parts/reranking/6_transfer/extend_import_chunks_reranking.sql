create or replace function braid_store.extend_import_chunks_reranking(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  chunks jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- Rounding to half precision changes a length of 1 by at most twice 2^-11.
  c_rounding constant float8 := 0.001;
  v_given record;
  v_vectors @vector@.halfvec[];
begin
  for v_given in
    select u.chunk_id, u.chunk -> 'token_vectors' -> 'vectors' as vectors,
           format('token_vectors of document "%s"', left(d.external_id, 100)) as vectors_name
    from unnest(extend_import_chunks_reranking.chunk_ids, extend_import_chunks_reranking.chunks) u (chunk_id, chunk),
         lateral (
           select d.external_id from braid_store.documents d
           where d.tenant_id = extend_import_chunks_reranking.tenant_id and d.id = (u.chunk ->> 'document_id')::bigint
           offset 0
         ) d
    where u.chunk -> 'token_vectors' ->> 'embedding_model' = collection.parts ->> 'token_vector_model'
  loop
    v_vectors := braid_store.parse_token_vectors(v_given.vectors, v_given.vectors_name);
    continue when cardinality(v_vectors) not between 1 and (collection.parts ->> 'token_vector_count')::int
                  or @vector@.vector_dims(v_vectors[1]) <> (collection.parts ->> 'token_vector_dimensions')::int;
    perform braid_store.check_token_vectors(collection, v_vectors, v_given.vectors_name);
    -- Store vectors of length 1 unchanged, so that searches give the same scores.
    v_vectors := array(
      select case when abs(@vector@.l2_norm(u.vector) - 1) > c_rounding then @vector@.l2_normalize(u.vector)
        else u.vector end
      from unnest(v_vectors) with ordinality u (vector, place) order by u.place);
    perform braid_store.write_token_vectors(tenant_id, collection, array[v_given.chunk_id], v_vectors,
                                            array[cardinality(v_vectors)]);
  end loop;
end
$$;

comment on function braid_store.extend_import_chunks_reranking(int, braid_store.collections, bigint[], jsonb[]) is
  'Store the token vectors of exported chunks. Leave out vectors with another model or other dimensions than the '
  'collection''s, and chunks with more vectors than the collection allows. chunks: the exported chunks, parallel to '
  'chunk_ids.';
