create or replace function braid_store.ranked_collection(
  query_text text,
  query_embedding @vector@.vector,
  match_count int,
  full_text_weight float8,
  semantic_weight float8,
  collection text,
  fusion text,
  rrf_k float8,
  candidate_count int,
  min_score float8,
  match text,
  options jsonb
)
returns braid_store.collections
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_has_text boolean := coalesce(query_text, '') <> '';
  v_collection braid_store.collections;
begin
  if not v_has_text and query_embedding is null then
    raise exception 'query_text and query_embedding are both empty'
      using errcode = '22023', hint = 'Give a text, an embedding, or both.';
  end if;
  perform braid_store.check_search_arguments(match_count, full_text_weight, semantic_weight, rrf_k, candidate_count,
                                             min_score),
          braid_store.check_search_options(options),
          braid_store.required_words(match, 1);
  v_collection := braid_store.find_collection(collection);
  v_collection.full_text_weight := coalesce(full_text_weight, v_collection.full_text_weight);
  v_collection.semantic_weight := coalesce(semantic_weight, v_collection.semantic_weight);
  v_collection.fusion := coalesce(fusion, v_collection.fusion);
  v_collection.rrf_k := coalesce(rrf_k, v_collection.rrf_k);
  if options ? 'language' then
    v_collection.text_config := braid_store.language_config(options ->> 'language', v_collection.text_config);
  end if;

  perform braid_store.check_fusion(v_collection.fusion);
  if v_collection.fusion in ('rrf', 'dbsf') and coalesce(options -> 'normalisation', 'null') <> 'null' then
    raise exception 'option normalisation is %, and fusion ''%'' has none', left(options ->> 'normalisation', 100),
                    v_collection.fusion
      using errcode = '22023', hint = 'Use fusion convex or max, or leave normalisation out.';
  end if;
  if query_embedding is not null then
    perform braid_store.check_query_model(v_collection, options ->> 'embedding_model'),
            braid_store.check_embeddings(v_collection, array[query_embedding], 'query_embedding');
    if v_has_text and v_collection.full_text_weight = 0 and v_collection.semantic_weight = 0 then
      raise exception 'full_text_weight and semantic_weight are both 0'
        using errcode = '22023', hint = 'Give at least one leg a weight above 0.';
    end if;
  end if;
  return v_collection;
end
$$;

comment on function braid_store.ranked_collection(text, @vector@.vector, int, float8, float8, text, text, float8, int, float8,
                                                  text, jsonb) is
  'The collection of a search, with the weights, fusion, rrf_k and language that the search asks for in place of its own. '
  'Raises for arguments that no search can use.';
