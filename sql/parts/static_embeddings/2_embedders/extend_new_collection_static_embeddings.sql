create or replace function braid_store.extend_new_collection_static_embeddings(
  inout collection braid_store.collections,
  ranking jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Static vectors of documents know less than words do: with this weight, they lost nothing on judged collections.
  c_semantic_weight constant float8 := 0.2;
  v_name text := (
    select e.name
    from braid_store.vector_spaces s
    join braid_store.static_embedders e on e.name = s.embedding_model and e.dimensions = s.dimensions
    where s.id = (extend_new_collection_static_embeddings.collection).vector_space_id);
begin
  if v_name is not null and not coalesce(ranking, '{}') ? 'static_embedder' then
    collection.parts := braid_store.parts_with(collection.parts, jsonb_build_object('static_embedder', v_name));
    if collection.fusion = 'convex' and not coalesce(ranking, '{}') ?| '{preset,full_text_weight,semantic_weight}' then
      collection.full_text_weight := 1 - c_semantic_weight;
      collection.semantic_weight := c_semantic_weight;
    end if;
  end if;
end
$$;

comment on function braid_store.extend_new_collection_static_embeddings(braid_store.collections, jsonb) is
  'Let a new collection whose model is a static embedder embed its queries by it, and rank by words above all.';
