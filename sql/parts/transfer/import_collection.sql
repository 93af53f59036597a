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
  c_ranking constant text[] := '{k1,b,title_weight,full_text_weight,semantic_weight,fusion,rrf_k,normalisation,
                                 neighbour_weight,document_weight,question_penalty,speaker_weight,name_weight,smoothing,
                                 statistics_scope,bm25_variant,sparse_weight,typos}';
  c_settings constant text[] := '{fold_diacritics,index_fields,embed_fields,vector_storage,hnsw_m,hnsw_ef_construction,
                                  overlap_tokens,default_occurred_at}';
  v_name text := import_collection.definition ->> 'name';
  v_found jsonb := braid_calls.stored_definition(v_name);
  v_differences text;
begin
  perform braid_calls.check_definition(import_collection.definition);
  if v_found is null then
    if not has_function_privilege((select p.oid from pg_proc p where p.pronamespace = 'braid'::regnamespace
                                                               and p.proname = 'create_collection'), 'EXECUTE') then
      raise exception 'collection "%" does not exist', left(v_name, 255)
        using errcode = '42704', hint = 'Have an administrator import, or create it with braid.create_collection.';
    end if;
    begin
      perform braid.create_collection(
        v_name, d.text_config, d.dimensions, d.distance, d.embedding_model, d.chunk_tokens, d.indexed_attributes,
        (select jsonb_object_agg(s.key, s.value) from jsonb_each(import_collection.definition) s
          where s.key = any (c_ranking)),
        (select jsonb_object_agg(s.key, s.value) from jsonb_each(import_collection.definition) s
          where s.key = any (c_settings)))
      from jsonb_to_record(import_collection.definition) d (
        text_config text, dimensions int, distance text, embedding_model text, chunk_tokens int,
          indexed_attributes jsonb);
      perform braid_calls.extend_import_collection(v_name, import_collection.definition);
      perform braid.set_synonyms(y.key, array(select jsonb_array_elements_text(y.value)), v_name)
      from jsonb_each(import_collection.definition -> 'synonyms') y;
    exception
      when invalid_parameter_value or undefined_object then
        raise; -- these errors name the setting and the remedy
      when data_exception or not_null_violation then
        raise exception 'collection "%" cannot be created: %', left(v_name, 255), sqlerrm
          using errcode = '22023', hint = 'Send the record unchanged, as braid.export_tenant returned it.';
    end;
    v_found := braid_calls.stored_definition(v_name);
  end if;

  v_differences := (
    select string_agg(k.key, ', ' order by k.key)
    from (select jsonb_object_keys(v_found) union select jsonb_object_keys(import_collection.definition)) k (key)
    where nullif(v_found -> k.key, 'null') is distinct from nullif(import_collection.definition -> k.key, 'null'));
  if v_differences is not null then
    raise exception 'collection "%" has other settings here: %', left(v_name, 255), left(v_differences, 1000)
      using errcode = '22023',
            hint = 'Make the settings equal. Or leave out the record of the collection: documents then take the '
                   'settings here, without vectors of another model.';
  end if;
end
$$;

comment on function braid_calls.import_collection(jsonb) is
  'Make sure that a collection with this definition exists. Create a missing one with the caller''s rights; raise '
  '22023 if an existing one has other settings.';
