create or replace function braid_store.embedding_hash(embedding @vector@.vector)
returns bigint
language sql
immutable
strict
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select hash_array_extended(embedding_hash.embedding::real[], 0);
$$;

comment on function braid_store.embedding_hash(@vector@.vector) is
  'A hash of an embedding: equal ones have the same. The reverse has to be checked.';
