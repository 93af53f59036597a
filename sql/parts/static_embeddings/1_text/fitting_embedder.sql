create or replace function braid_store.fitting_embedder(name text, vector_space_id int)
returns braid_store.static_embedders
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select e
  from braid_store.static_embedders e
  join braid_store.vector_spaces s on s.id = fitting_embedder.vector_space_id
  where e.name = fitting_embedder.name and e.dimensions = s.dimensions
    and s.embedding_model in (e.name, e.source_model);
$$;

comment on function braid_store.fitting_embedder(text, int) is
  'Return the static embedder of this name, if its vectors compare with the vectors of a vector space; else null.';
