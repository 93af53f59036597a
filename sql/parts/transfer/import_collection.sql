-- role: writer
create or replace function braid_calls.import_collection(definition jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
declare
  -- What an older version gave lacks these.
  v_definition jsonb := '{"neighbour_weight": 0, "smoothing": 0, "statistics_scope": "collection", "bm25_variant": "lucene"}'
                        || jsonb_build_object('sparse_weight', case when import_collection.definition ->> 'fusion' in ('rrf', 'max')
                                                                     then 1 else 0.3 end)
                        || import_collection.definition;
  v_name text := import_collection.definition ->> 'name';
  v_found jsonb := braid_calls.stored_definition(v_name);
  v_differences text;
begin
  if v_found is null then
    if not has_function_privilege((select p.oid from pg_proc p where p.pronamespace = 'braid'::regnamespace
                                                               and p.proname = 'create_collection'), 'EXECUTE') then
      raise exception 'collection "%" does not exist', left(v_name, 255)
        using errcode = '42704', hint = 'Have an administrator import, or create it with braid.create_collection.';
    end if;
    begin
      perform braid.create_collection(
        v_name, d.text_config, d.dimensions, d.distance, d.embedding_model, d.chunk_tokens, d.k1, d.b, d.title_weight,
        d.full_text_weight, d.semantic_weight, d.fusion, d.rrf_k, d.fold_diacritics, d.index_fields, d.embed_fields,
        d.indexed_attributes, d.vector_storage, d.hnsw_m, d.hnsw_ef_construction, d.normalisation, 'prose',
        d.neighbour_weight, d.smoothing, d.statistics_scope, d.bm25_variant, d.sparse_weight,
        coalesce(d.sparse_encoder, ''))
      from jsonb_to_record(v_definition) d (
        text_config text, dimensions int, distance text, embedding_model text, chunk_tokens int, k1 float8, b float8,
        title_weight float8, full_text_weight float8, semantic_weight float8, fusion text, rrf_k float8,
        fold_diacritics boolean, index_fields text[], embed_fields text[], indexed_attributes jsonb, vector_storage text,
        hnsw_m int, hnsw_ef_construction int, normalisation text, neighbour_weight float8, smoothing float8,
        statistics_scope text, bm25_variant text, sparse_weight float8, sparse_encoder text);
      if v_definition ->> 'overlap_tokens' is not null or v_definition ->> 'default_occurred_at' is not null then
        perform braid.set_document_defaults(v_name, d.overlap_tokens, d.default_occurred_at)
        from jsonb_to_record(v_definition) d (overlap_tokens int, default_occurred_at text);
      end if;
      perform braid_calls.extend_import_collection(v_name, v_definition);
      perform braid.set_synonyms(y.key, array(select jsonb_array_elements_text(y.value)), v_name)
      from jsonb_each(import_collection.definition -> 'synonyms') y;
    exception
      when invalid_parameter_value or undefined_object then
        raise; -- these name the setting and what to do
      when data_exception or not_null_violation then
        raise exception 'collection "%" cannot be created: %', left(v_name, 255), sqlerrm
          using errcode = '22023', hint = 'Send the record as braid.export_tenant gave it.';
    end;
    v_found := braid_calls.stored_definition(v_name);
  end if;

  v_differences := (
    select string_agg(k.key, ', ' order by k.key)
    from (select jsonb_object_keys(v_found) union select jsonb_object_keys(v_definition)) k (key)
    where nullif(v_found -> k.key, 'null') is distinct from nullif(v_definition -> k.key, 'null'));
  if v_differences is not null then
    raise exception 'collection "%" has other settings here: %', left(v_name, 255), left(v_differences, 1000)
      using errcode = '22023',
            hint = 'Change one of the two, or leave the record of the collection out to import the documents under the '
                   'settings here; vectors of another model are left out then.';
  end if;
end
$$;

comment on function braid_calls.import_collection(jsonb) is
  'Makes sure that there is a collection with this definition. Creates it with the caller''s rights if it is not there; '
  'raises 22023 if its settings differ.';
