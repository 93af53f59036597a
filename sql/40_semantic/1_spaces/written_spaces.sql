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
  v_migration braid_store.model_migrations;
begin
  return next v_collection;
  select m.* into v_migration from braid_store.model_migrations m where m.collection_id = v_collection.id;
  if not found then
    return;
  elsif v_migration.to_space_id <> v_collection.vector_space_id then
    v_collection.vector_space_id := v_migration.to_space_id;
    v_collection.vector_storage := v_migration.to_storage;
  else
    v_collection.vector_space_id := v_migration.from_space_id;
    v_collection.vector_storage := v_migration.from_storage;
  end if;
  return next v_collection;
end
$$;

comment on function braid_store.written_spaces(braid_store.collections) is
  'The vector spaces that new vectors of a collection are written to, each as the collection with that space: first '
  'its own and, during a model migration, then the other one of the two.';
