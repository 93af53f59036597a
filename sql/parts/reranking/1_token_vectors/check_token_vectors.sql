create or replace function braid_store.check_token_vectors(
  collection braid_store.collections,
  vectors @vector@.halfvec[],
  vectors_name text
)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  select u.place, @vector@.vector_dims(u.vector) as dimensions into v_wrong
  from unnest(check_token_vectors.vectors) with ordinality u (vector, place)
  where @vector@.vector_dims(u.vector) is distinct
    from (check_token_vectors.collection.parts ->> 'token_vector_dimensions')::int
     or @vector@.l2_norm(u.vector) = 0
  order by u.place
  limit 1;
  if not found then
    return;
  elsif v_wrong.dimensions is null then
    raise exception 'vector % of % is null', v_wrong.place, check_token_vectors.vectors_name
      using errcode = '22023', hint = 'Leave out elements that are null.';
  elsif v_wrong.dimensions <> (check_token_vectors.collection.parts ->> 'token_vector_dimensions')::int then
    raise exception 'vector % of % has % dimensions, token vectors of collection "%" have %', v_wrong.place,
                    check_token_vectors.vectors_name, v_wrong.dimensions, check_token_vectors.collection.name,
                    (check_token_vectors.collection.parts ->> 'token_vector_dimensions')::int
      using errcode = '22023',
            hint = format('Use the model of the collection''s token vectors (%s).',
                          check_token_vectors.collection.parts ->> 'token_vector_model');
  else
    raise exception 'vector % of % is a zero vector, which has no cosine', v_wrong.place,
      check_token_vectors.vectors_name
      using errcode = '22023', hint = 'Leave out the zero vector.';
  end if;
end
$$;

comment on function braid_store.check_token_vectors(braid_store.collections, @vector@.halfvec[], text) is
  'Raise 22023 for a token vector that is null or zero, or that has other dimensions than the collection''s token '
  'vectors. vectors_name: the name of the vectors in messages.';
