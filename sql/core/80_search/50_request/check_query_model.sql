create or replace function braid_store.check_query_model(collection braid_store.collections, embedding_model text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_model text;
begin
  if check_query_model.embedding_model is null then
    return;
  end if;
  select s.embedding_model into strict v_model
  from braid_store.vector_spaces s
  where s.id = check_query_model.collection.vector_space_id;
  if v_model <> check_query_model.embedding_model then
    raise exception 'option embedding_model is ''%'', but searches of collection "%" use ''%''',
                    left(check_query_model.embedding_model, 255), check_query_model.collection.name, v_model
      using errcode = '22023',
            hint = concat_ws(' ', 'Embed the query with the model that searches use.',
                             braid_store.extend_model_hint(check_query_model.collection.id));
  end if;
end
$$;

comment on function braid_store.check_query_model(braid_store.collections, text) is
  'Raise 22023 if embedding_model, the model of a query vector, is not the model of the vectors that searches of the '
  'collection read. No other check can tell vectors of two models with the same dimensions apart. Null is not '
  'checked.';
