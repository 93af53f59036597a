create or replace function braid_store.extend_own_queries_query_vectors(
  tenant_id int,
  collection_id int,
  vector_space_id int,
  query_count int
)
returns table (source text, embedding @vector@.vector)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  return query
  select 'stored', q.embedding
  from braid_store.query_embeddings q
  where q.tenant_id = extend_own_queries_query_vectors.tenant_id
    and q.collection_id = extend_own_queries_query_vectors.collection_id
    and q.vector_space_id = extend_own_queries_query_vectors.vector_space_id
  order by q.used_at desc
  limit extend_own_queries_query_vectors.query_count;
end
$$;

comment on function braid_store.extend_own_queries_query_vectors(int, int, int, int) is
  'Return the stored query vectors of a tenant''s part of a collection, most recently used first.';
