create or replace function braid_store.check_embeddings(
  collection braid_store.collections,
  embeddings @vector@.vector[],
  vector_name text,
  names text[] default null
)
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- pgvector sums squares in single precision (float4): beyond these limits a distance would be infinite or not a
  -- number.
  c_max_length constant float8 := 1e18;
  c_min_length constant float8 := 1e-15;
  v_space braid_store.vector_spaces;
  v_stored @vector@.vector;
  v_place int := 0;
  v_name text;
  v_dimensions int;
  v_length float8;
begin
  select s.* into strict v_space
  from braid_store.vector_spaces s
  where s.id = check_embeddings.collection.vector_space_id;

  -- Most calls have no wrong vector, and one statement finds that out.
  if check_embeddings.collection.vector_storage <> 'halfvec'
     and not exists (
       select from unnest(check_embeddings.embeddings) e (embedding)
       where e.embedding is null or @vector@.vector_dims(e.embedding) <> v_space.dimensions
          or @vector@.vector_norm(e.embedding) > c_max_length
          or v_space.distance = 'cosine' and @vector@.vector_norm(e.embedding) < c_min_length)
  then
    return;
  end if;

  foreach v_stored in array check_embeddings.embeddings loop
    v_place := v_place + 1;
    v_name := coalesce(check_embeddings.names[v_place], format(check_embeddings.vector_name, v_place));
    v_dimensions := @vector@.vector_dims(v_stored);
    if v_dimensions is null then
      raise exception '% is null', v_name
        using errcode = '22023', hint = 'Leave out texts without an embedding.';
    elsif v_dimensions <> v_space.dimensions then
      raise exception '% has % dimensions, collection "%" has %', v_name, v_dimensions,
                      check_embeddings.collection.name, v_space.dimensions
        using errcode = '22023',
              hint = format('Use the collection''s model (%s), or a collection of %s dimensions.',
                            v_space.embedding_model, v_dimensions)
                     || coalesce(' ' || braid_store.extend_model_hint(check_embeddings.collection.id), '');
    end if;

    if check_embeddings.collection.vector_storage = 'halfvec' then
      begin
        v_stored := v_stored::@vector@.halfvec::@vector@.vector;
      exception when numeric_value_out_of_range then
        raise exception '% has a number beyond 65504, the largest number of halfvec', v_name
          using errcode = '22023',
            hint = 'Normalize the vectors, or use a collection whose vector_storage is not halfvec.';
      end;
    end if;
    v_length := @vector@.vector_norm(v_stored);
    if v_length > c_max_length then
      raise exception '% has a length of %, which is too great', v_name, v_length::real
        using errcode = '22023', hint = 'Normalize the vectors; lengths up to 1e18 can be measured.';
    elsif v_length < c_min_length and v_space.distance = 'cosine' then
      raise exception '% is a zero vector, which has no cosine', v_name
        using errcode = '22023', hint = 'Embed text that is not empty, or use a collection with another distance.';
    end if;
  end loop;
end
$$;

comment on function braid_store.check_embeddings(braid_store.collections, @vector@.vector[], text, text[]) is
  'Raise 22023 for a vector that a collection cannot store or compare. Such a vector is null, has other dimensions, '
  'or has numbers or a length that are too large. For the cosine distance, a vector that is zero once stored is '
  'refused as well. vector_name: how messages name a vector; %s stands for its number, from 1. names: a name for '
  'each vector, used instead of vector_name.';
