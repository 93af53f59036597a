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
  v_space braid_store.collections := written_spaces.collection;
  v_other record;
begin
  return next v_space;
  for v_other in
    select e.vector_space_id, e.vector_storage
    from braid_store.extend_spaces(v_space.id) e
    where e.vector_space_id <> written_spaces.collection.vector_space_id
  loop
    v_space.vector_space_id := v_other.vector_space_id;
    v_space.vector_storage := v_other.vector_storage;
    return next v_space;
  end loop;
end
$$;

comment on function braid_store.written_spaces(braid_store.collections) is
  'Return the vector spaces to which new vectors of a collection are written, each as the collection with that '
  'space. The collection''s own space comes first; during a model change, the other space follows.';
