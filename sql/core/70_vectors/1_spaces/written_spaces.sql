create or replace function braid_store.written_spaces(collection braid_store.collections)
returns setof braid_store.collections
language plpgsql
stable
parallel safe
security invoker
rows 2
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := written_spaces.collection;
  v_change braid_store.model_migrations;
begin
  return next v_collection;
  select m.* into v_change from braid_store.model_migrations m where m.collection_id = v_collection.id;
  if not found then
    return;
  elsif v_change.to_space_id <> v_collection.vector_space_id then
    v_collection.vector_space_id := v_change.to_space_id;
    v_collection.vector_storage := v_change.to_storage;
  else
    v_collection.vector_space_id := v_change.from_space_id;
    v_collection.vector_storage := v_change.from_storage;
  end if;
  return next v_collection;
end
$$;

comment on function braid_store.written_spaces(braid_store.collections) is
  'The vector spaces that new vectors of a collection are written to, each as the collection with that space: first '
  'its own and, during a model change, then the other one of the two.';
