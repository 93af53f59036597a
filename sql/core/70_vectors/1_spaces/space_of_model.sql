create or replace function braid_store.space_of_model(collection braid_store.collections, embedding_model text)
returns braid_store.collections
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_space braid_store.collections;
begin
  if space_of_model.embedding_model is null then
    return space_of_model.collection;
  end if;
  select w.* into v_space
  from braid_store.written_spaces(space_of_model.collection) w
  join braid_store.vector_spaces s on s.id = w.vector_space_id
  where s.embedding_model = space_of_model.embedding_model;
  if not found then
    raise exception 'embedding_model is ''%'', but collection "%" has no vectors of that model',
                    left(space_of_model.embedding_model, 255), space_of_model.collection.name
      using errcode = '22023',
            hint = (select format('Use %s, or create a collection for %L: call braid.create_collection with '
                                  'embedding_model and dimensions.',
                                  string_agg(format('''%s''', s.embedding_model), ' or '),
                                  left(space_of_model.embedding_model, 255))
                    from braid_store.written_spaces(space_of_model.collection) w
                    join braid_store.vector_spaces s on s.id = w.vector_space_id);
  end if;
  return v_space;
end
$$;

comment on function braid_store.space_of_model(braid_store.collections, text) is
  'Return the collection with the vector space of embedding_model in place of its own, to write vectors of either '
  'model during a model change. If embedding_model is null, return the collection as it is, with the space that '
  'searches use. Raise 22023 if the collection has no vectors of this model.';
