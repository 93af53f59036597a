create or replace function braid_store.extend_export_chunk_reranking(
  tenant_id int,
  collection braid_store.collections,
  chunk_id bigint
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  return coalesce(
    (select jsonb_build_object('token_vectors', jsonb_build_object(
              'embedding_model', t.embedding_model,
              'vectors', (select jsonb_agg(u.vector::text order by u.place) from unnest(t.vectors)
                with ordinality u (vector, place))))
     from braid_store.token_vectors t
     where t.tenant_id = extend_export_chunk_reranking.tenant_id
       and t.collection_id = extend_export_chunk_reranking.collection.id
       and t.chunk_id = extend_export_chunk_reranking.chunk_id
       and t.embedding_model = extend_export_chunk_reranking.collection.parts ->> 'token_vector_model'
       and t.dimensions = (extend_export_chunk_reranking.collection.parts ->> 'token_vector_dimensions')::int
     offset 0), '{}');
end
$$;

comment on function braid_store.extend_export_chunk_reranking(int, braid_store.collections, bigint) is
  'Return the token vectors of a chunk, if the collection''s model made them.';
