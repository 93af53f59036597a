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
  indexed_attributes jsonb,
  ranking jsonb,
  settings jsonb
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
  c_ranking constant jsonb := '{"fusion": "convex", "rrf_k": 60, "normalisation": "centroid", "bm25_variant": '
    '"lucene"}';
  v_ranking jsonb := coalesce(nullif(ranking, 'null'), '{}');
  v_settings jsonb := coalesce(nullif(settings, 'null'), '{}');
  v_new braid_store.collections;
  v_found braid_store.collections;
  v_vector_space_id int;
  v_is_new boolean;
begin
  if jsonb_typeof(v_ranking) = 'object' then
    v_ranking := case when v_ranking ->> 'preset' = 'rrf' then c_ranking - 'fusion' else c_ranking end || v_ranking;
  end if;
  if jsonb_typeof(v_settings) = 'object' then
    v_settings := jsonb_build_object('vector_storage', braid_store.default_vector_storage(dimensions))
                  || (select jsonb_object_agg(k.name, k.default_value) from braid_store.known_collection_settings() k
                      where k.default_value is not null)
                  || v_settings;
  end if;
  -- The window of all-MiniLM-L6-v2 is 256 tokens; other models read 512 or more.
  chunk_tokens := coalesce(chunk_tokens, case when embedding_model like '%all-MiniLM-L6-v2' then 240 else 500 end);
  v_new.name := collection;
  v_new.text_config := text_config;
  v_new.chunk_tokens := chunk_tokens;
  v_new := braid_store.rank_as(v_new, case when jsonb_typeof(v_ranking) = 'object' then '{"preset": "prose"}'
    || v_ranking
                                           else v_ranking end);
  v_new := braid_store.configure(v_new, v_settings, true);
  -- A build takes a quarter longer than with pgvector's 64, and its graph finds as much at a smaller ef_search.
  v_new.hnsw_ef_construction := coalesce(v_new.hnsw_ef_construction, 2 * greatest(50, v_new.hnsw_m));
  perform braid_store.check_collection(v_new, dimensions, distance, embedding_model),
          braid_store.check_indexed_attributes(indexed_attributes);

  begin
    insert into braid_store.vector_spaces (embedding_model, dimensions, distance)
    values (embedding_model, dimensions, distance)
    on conflict do nothing;
    select v.id into strict v_vector_space_id
    from braid_store.vector_spaces v
    where v.embedding_model = insert_collection.embedding_model
      and v.dimensions = insert_collection.dimensions
      and v.distance = insert_collection.distance;
    v_new.vector_space_id := v_vector_space_id;
    v_new := braid_store.extend_new_collection(v_new, ranking);
    if v_new.parts is not null then
      perform braid_store.extend_check_settings(v_new);
    end if;

    insert into braid_store.collections (
      name, vector_space_id, text_config, fold_diacritics, k1, b, title_weight, chunk_tokens, index_fields,
        embed_fields,
      full_text_weight, semantic_weight, vector_storage, hnsw_m, hnsw_ef_construction, fusion, rrf_k,
      normalisation, neighbour_weight, document_weight, question_penalty, speaker_weight, smoothing, statistics_scope,
      name_weight, bm25_variant, sparse_weight, overlap_tokens, default_occurred_at, typos,
      parts)
    values (
      v_new.name, v_vector_space_id, v_new.text_config, v_new.fold_diacritics, v_new.k1, v_new.b, v_new.title_weight,
      v_new.chunk_tokens, v_new.index_fields, v_new.embed_fields, v_new.full_text_weight, v_new.semantic_weight,
      v_new.vector_storage, v_new.hnsw_m, v_new.hnsw_ef_construction, v_new.fusion, v_new.rrf_k, v_new.normalisation,
      v_new.neighbour_weight, v_new.document_weight, v_new.question_penalty, v_new.speaker_weight, v_new.smoothing,
      v_new.statistics_scope, v_new.name_weight, v_new.bm25_variant, v_new.sparse_weight, v_new.overlap_tokens,
      v_new.default_occurred_at, v_new.typos, v_new.parts)
    on conflict (name) do nothing;
    v_is_new := found;
  exception when lock_not_available then
    perform braid_store.raise_locked(
      format('the name or the vector space of collection "%s"', collection),
      braid_store.lock_holders('{braid_store.vector_spaces,braid_store.collections}', '{RowExclusiveLock}'));
  end;
  select c.* into strict v_found from braid_store.collections c where c.name = collection;
  if v_is_new then
    perform braid_store.replace_attributes(indexed_attributes, collection);
    return v_found.id;
  end if;

  -- A setting that has neither a value from the caller nor a default here, such as a preset's, does not count as a
  -- difference.
  v_new := braid_store.configure(braid_store.rank_as(v_found, v_ranking), v_settings, true);
  v_new.vector_space_id := v_vector_space_id;
  v_new.text_config := text_config;
  v_new.chunk_tokens := chunk_tokens;
  if v_new is distinct from v_found
     or (select coalesce(jsonb_object_agg(a.name, a.type), '{}') from braid_store.indexed_attributes a
         where a.collection_id = v_found.id and a.removed_at is null)
        is distinct from (select coalesce(jsonb_object_agg(d.name, d.type), '{}')
                          from braid_store.check_indexed_attributes(indexed_attributes) d) then
    raise exception 'collection "%" exists with other settings', collection
      using errcode = '22023',
            hint = 'See its settings in braid.collections. Choose another name, or drop the collection with '
                   'braid.drop_collection.';
  end if;
  return v_found.id;
end
$$;

comment on function braid_store.insert_collection(text, text, int, text, text, int, jsonb, jsonb, jsonb) is
  'Do the work of braid.create_collection.';
