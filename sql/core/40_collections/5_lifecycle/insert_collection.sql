-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.insert_collection(
  collection text,
  text_config text,
  dimensions int,
  distance text,
  embedding_model text,
  chunk_tokens int,
  k1 float8,
  b float8,
  title_weight float8,
  full_text_weight float8,
  semantic_weight float8,
  fusion text,
  rrf_k float8,
  normalisation text,
  preset text,
  neighbour_weight float8,
  smoothing float8,
  statistics_scope text,
  bm25_variant text,
  fold_diacritics boolean,
  index_fields text[],
  embed_fields text[],
  indexed_attributes jsonb,
  vector_storage text,
  hnsw_m int,
  hnsw_ef_construction int,
  sparse_weight float8,
  sparse_encoder text
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  -- A quarter more time than with pgvector's 64, for a graph that finds as much at a smaller width.
  v_ef_construction int := coalesce(hnsw_ef_construction, 2 * greatest(50, least(hnsw_m, 500)));
  v_vector_space_id int;
  v_collection braid_store.collections;
  v_is_new boolean;
  v_preset braid_store.collections;
  v_parts jsonb;
  -- What settings that are not given have to be.
  v_kept braid_store.collections;
begin
  if fold_diacritics is null then
    raise exception 'fold_diacritics is null'
      using errcode = '22023', hint = 'Use true, or false to tell words apart by their accents alone.';
  end if;
  if preset = 'rrf' then
    -- convex is what is not given.
    if fusion not in ('convex', 'rrf') then
      raise exception 'preset is ''rrf'' and fusion is ''%''', left(fusion, 100)
        using errcode = '22023', hint = 'Leave one of the two out.';
    end if;
    fusion := 'rrf';
  end if;
  v_preset := braid_store.ranking_preset(coalesce(preset, 'prose'), fusion);
  vector_storage := coalesce(vector_storage, braid_store.default_vector_storage(dimensions));
  perform braid_store.check_collection_settings(
    collection, text_config, dimensions, distance, embedding_model, chunk_tokens, coalesce(k1, v_preset.k1), b,
    coalesce(title_weight, v_preset.title_weight), coalesce(full_text_weight, v_preset.full_text_weight),
    coalesce(semantic_weight, v_preset.semantic_weight), fusion, rrf_k, normalisation,
    coalesce(neighbour_weight, v_preset.neighbour_weight), coalesce(smoothing, v_preset.smoothing),
    coalesce(statistics_scope, v_preset.statistics_scope), bm25_variant, index_fields, embed_fields, vector_storage, hnsw_m,
    v_ef_construction, coalesce(sparse_weight, v_preset.sparse_weight)),
          braid_store.check_indexed_attributes(indexed_attributes);
  v_parts := braid_store.parts_with(null, jsonb_build_object('sparse_encoder', nullif(sparse_encoder, '')));
  if v_parts is not null then
    perform braid_store.extend_check_settings(v_parts);
  end if;

  begin
    insert into braid_store.vector_spaces (embedding_model, dimensions, distance)
    values (embedding_model, dimensions, distance)
    on conflict do nothing;
    select v.id into strict v_vector_space_id
    from braid_store.vector_spaces v
    where v.embedding_model = insert_collection.embedding_model
      and v.dimensions = insert_collection.dimensions
      and v.distance = insert_collection.distance;

    insert into braid_store.collections (
      name, vector_space_id, text_config, fold_diacritics, k1, b, title_weight, chunk_tokens, index_fields, embed_fields,
      full_text_weight, semantic_weight, vector_storage, hnsw_m, hnsw_ef_construction, fusion, rrf_k,
      normalisation, neighbour_weight, smoothing, statistics_scope, bm25_variant, sparse_weight, parts)
    values (
      collection, v_vector_space_id, text_config, fold_diacritics, coalesce(k1, v_preset.k1), coalesce(b, v_preset.b),
      coalesce(title_weight, v_preset.title_weight), chunk_tokens, index_fields, embed_fields,
      coalesce(full_text_weight, v_preset.full_text_weight), coalesce(semantic_weight, v_preset.semantic_weight),
      vector_storage, hnsw_m, v_ef_construction, fusion, rrf_k, normalisation,
      coalesce(neighbour_weight, v_preset.neighbour_weight), coalesce(smoothing, v_preset.smoothing),
      coalesce(statistics_scope, v_preset.statistics_scope), bm25_variant, coalesce(sparse_weight, v_preset.sparse_weight),
      v_parts)
    on conflict (name) do nothing;
    v_is_new := found;
  exception when lock_not_available then
    perform braid_store.raise_locked(
      format('the name or the vector space of collection "%s"', collection),
      braid_store.lock_holders('{braid_store.vector_spaces,braid_store.collections}', '{RowExclusiveLock}'));
  end;
  if v_is_new then
    perform braid_store.replace_attributes(indexed_attributes, collection);
  end if;

  select c.* into strict v_collection from braid_store.collections c where c.name = collection;
  v_kept := case when preset is null then v_collection else v_preset end;
  if (v_collection.vector_space_id, v_collection.text_config, v_collection.fold_diacritics, v_collection.k1,
      v_collection.b, v_collection.title_weight, v_collection.chunk_tokens, v_collection.index_fields,
      v_collection.embed_fields, v_collection.full_text_weight, v_collection.semantic_weight, v_collection.fusion,
      v_collection.rrf_k, v_collection.normalisation, v_collection.neighbour_weight, v_collection.smoothing,
      v_collection.statistics_scope, v_collection.bm25_variant, v_collection.vector_storage, v_collection.hnsw_m,
      v_collection.hnsw_ef_construction, v_collection.sparse_weight, v_collection.parts ->> 'sparse_encoder')
     is distinct from
     (v_vector_space_id, text_config, fold_diacritics, coalesce(k1, v_kept.k1), coalesce(b, v_kept.b),
      coalesce(title_weight, v_kept.title_weight), chunk_tokens, index_fields, embed_fields,
      coalesce(full_text_weight, v_kept.full_text_weight), coalesce(semantic_weight, v_kept.semantic_weight), fusion, rrf_k,
      normalisation, coalesce(neighbour_weight, v_kept.neighbour_weight), coalesce(smoothing, v_kept.smoothing),
      coalesce(statistics_scope, v_kept.statistics_scope), bm25_variant, vector_storage, hnsw_m,
      coalesce(hnsw_ef_construction, v_collection.hnsw_ef_construction), coalesce(sparse_weight, v_kept.sparse_weight),
      nullif(coalesce(sparse_encoder, v_collection.parts ->> 'sparse_encoder'), ''))
     or (not v_is_new
         and (select coalesce(jsonb_object_agg(a.name, a.type), '{}') from braid_store.indexed_attributes a
              where a.collection_id = v_collection.id and a.removed_at is null)
             is distinct from (select coalesce(jsonb_object_agg(d.name, d.type), '{}')
                               from braid_store.check_indexed_attributes(indexed_attributes) d)) then
    raise exception 'collection "%" exists with other settings', collection
      using errcode = '22023',
            hint = 'See them in braid.collections; choose another name, or drop it with braid.drop_collection.';
  end if;
  return v_collection.id;
end
$$;

comment on function braid_store.insert_collection(text, text, int, text, text, int, float8, float8, float8, float8,
                                                  float8, text, float8, text, text, float8, float8, text, text,
                                                  boolean, text[], text[], jsonb, text, int, int, float8, text) is
  'Does the work of braid.create_collection.';
