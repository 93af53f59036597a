create or replace function braid_store.check_token_model(
  collection braid_store.collections,
  embedding_model text,
  argument_name text
)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_model text := check_token_model.collection.parts ->> 'token_vector_model';
begin
  if v_model is null then
    raise exception '%collection "%" has no token vectors', coalesce(check_token_model.argument_name
      || ' is given, but ', ''),
                    check_token_model.collection.name
      using errcode = '22023',
            hint = 'Have an administrator call braid.set_token_vectors for the collection, then store token vectors.';
  elsif v_model <> check_token_model.embedding_model then
    raise exception '%: the embedding_model is ''%'', but token vectors of collection "%" are by ''%''',
                    check_token_model.argument_name, left(check_token_model.embedding_model, 255),
                    check_token_model.collection.name, v_model
      using errcode = '22023',
            hint = 'Make the token vectors with the collection''s model, or have an administrator change the model '
                   'with braid.set_token_vectors.';
  end if;
end
$$;

comment on function braid_store.check_token_model(braid_store.collections, text, text) is
  'Raise 22023 if a collection has no token vectors, or has token vectors of another model; a null model is not '
  'compared. argument_name: the name of the given argument in messages; null if none was given.';
