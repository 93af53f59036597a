create or replace function braid_store.check_static_embedder(collection braid_store.collections)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text := collection.parts ->> 'static_embedder';
  v_embedder braid_store.static_embedders;
  v_space braid_store.vector_spaces;
begin
  select e.* into v_embedder from braid_store.static_embedders e where e.name = v_name;
  if not found then
    raise exception 'static embedder "%" does not exist', left(v_name, 255)
      using errcode = '42704',
            hint = 'Load its table with: pgbraid static-embedder. The embedders are: '
                   || coalesce((select string_agg(e.name, ', ' order by e.name) from braid_store.static_embedders e),
                               'none') || '.';
  elsif not exists (
    select from braid_store.written_spaces(collection) w
    where (braid_store.fitting_embedder(v_name, w.vector_space_id)).id is not null)
  then
    select s.* into strict v_space from braid_store.vector_spaces s where s.id = collection.vector_space_id;
    raise exception 'static embedder "%" makes vectors of % dimensions for %, but collection "%" has % dimensions of %',
                    v_name, v_embedder.dimensions, concat_ws(' and ', v_name, v_embedder.source_model), collection.name,
                    v_space.dimensions, v_space.embedding_model
      using errcode = '22023',
            hint = format('Create a collection with embedding_model => %L, dimensions => %s, or move this one: '
                          'select %s(%L, %L, %s);', v_name, v_embedder.dimensions, 'braid.start_model_change',
                          collection.name, v_name, v_embedder.dimensions);
  end if;
end
$$;

comment on function braid_store.check_static_embedder(braid_store.collections) is
  'Raise 42704 if the static embedder of a collection does not exist, and 22023 if its vectors do not compare with '
  'the collection''s.';
