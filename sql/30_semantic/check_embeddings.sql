create or replace function braid_store.check_embeddings(
  collection braid_store.collections,
  embeddings @vector@.vector[],
  argument text
)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_space braid_store.vector_spaces;
  v_wrong record;
begin
  select s.* into strict v_space
  from braid_store.vector_spaces s
  where s.id = check_embeddings.collection.vector_space_id;

  select e.ordinality, @vector@.vector_dims(e.embedding) as dimensions,
         v_space.distance = 'cosine' and @vector@.vector_norm(e.embedding) = 0 as is_zero
  into v_wrong
  from unnest(check_embeddings.embeddings) with ordinality e (embedding)
  where e.embedding is null
     or @vector@.vector_dims(e.embedding) <> v_space.dimensions
     or (v_space.distance = 'cosine' and @vector@.vector_norm(e.embedding) = 0)
  limit 1;

  if not found then
    return;
  elsif v_wrong.dimensions is null then
    raise exception '% % is null', check_embeddings.argument, v_wrong.ordinality
      using errcode = '22023', hint = 'Leave out what has no embedding.';
  elsif v_wrong.dimensions <> v_space.dimensions then
    raise exception '% % has % dimensions, collection "%" has %', check_embeddings.argument, v_wrong.ordinality,
                    v_wrong.dimensions, check_embeddings.collection.name, v_space.dimensions
      using errcode = '22023',
            hint = format('Use the collection''s model (%s), or a collection of %s dimensions.',
                          v_space.embedding_model, v_wrong.dimensions);
  else
    raise exception '% % is a zero vector, which has no cosine', check_embeddings.argument, v_wrong.ordinality
      using errcode = '22023', hint = 'Embed text that is not empty, or use a collection with another distance.';
  end if;
end
$$;

comment on function braid_store.check_embeddings(braid_store.collections, @vector@.vector[], text) is
  'Raises 22023 for a vector that does not fit the collection: null, of other dimensions, or zero under cosine.';
