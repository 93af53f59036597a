create or replace function braid_store.default_vector_storage(dimensions int)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when default_vector_storage.dimensions <= 2000 then 'vector'
              when default_vector_storage.dimensions <= 4000 then 'halfvec'
              else 'binary' end;
$$;

comment on function braid_store.default_vector_storage(int) is
  'Return the most exact storage of vectors that pgvector''s HNSW can index at this number of dimensions.';
