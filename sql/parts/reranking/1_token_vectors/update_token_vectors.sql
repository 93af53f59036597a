-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_token_vectors(
  collection text,
  embedding_model text,
  vector_count int,
  dimensions int
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_collection braid_store.collections := braid_store.find_collection(update_token_vectors.collection);
  v_dimensions int := update_token_vectors.dimensions;
  v_wrong record;
begin
  v_collection := braid_store.lock_definition(v_collection);
  if v_dimensions is null then
    select s.dimensions into strict v_dimensions
    from braid_store.vector_spaces s where s.id = v_collection.vector_space_id;
  end if;
  select * into v_wrong
  from (values
    ('embedding_model', left(update_token_vectors.embedding_model, 255),
     coalesce(octet_length(update_token_vectors.embedding_model) between 1 and 255, true),
     'Name the model that makes the vectors, in 1 to 255 bytes, or give null for none.'),
    ('vector_count', update_token_vectors.vector_count::text, update_token_vectors.vector_count between 1 and 512,
     'Use 1 to 512, usually 32.'),
    ('dimensions', v_dimensions::text, v_dimensions between 1 and 4096,
     'Give the dimensions of the model''s token vectors, 1 to 4096.')
  ) argument (name, value, is_valid, hint)
  where argument.is_valid is not true
  limit 1;
  if found then
    raise exception '% is %', v_wrong.name, coalesce('''' || v_wrong.value || '''', 'null')
      using errcode = '22023', hint = v_wrong.hint;
  end if;
  update braid_store.collections c
  set parts = braid_store.parts_with(c.parts, jsonb_build_object(
        'token_vector_model', update_token_vectors.embedding_model,
        'token_vector_dimensions', case when update_token_vectors.embedding_model is not null then v_dimensions end,
        'token_vector_count', case when update_token_vectors.embedding_model is not null
                                   then update_token_vectors.vector_count end))
  where c.id = v_collection.id;
end
$$;

comment on function braid_store.update_token_vectors(text, text, int, int) is
  'Do the work of braid.set_token_vectors.';
