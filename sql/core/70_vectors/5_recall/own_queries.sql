create or replace function braid_store.own_queries(
  tenant_id int,
  collection_id int,
  vector_space_id int,
  query_count int,
  out queries @vector@.vector[],
  out stored_count int,
  out set_count int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  -- Of so many queries of sets a part is drawn.
  c_most_read constant int := 10000;
begin
  queries := array(
    select q.embedding
    from braid_store.query_embeddings q
    where q.tenant_id = own_queries.tenant_id and q.collection_id = own_queries.collection_id
      and q.vector_space_id = own_queries.vector_space_id
    order by q.used_at desc
    limit own_queries.query_count);
  stored_count := cardinality(queries);
  queries := queries || array(
    select s.embedding
    from (
      select e.query_set, e.query_id, e.embedding
      from braid_store.query_set_embeddings e
      where e.tenant_id = own_queries.tenant_id and e.vector_space_id = own_queries.vector_space_id
      limit c_most_read
    ) s
    order by hashtextextended(s.query_id, hashtextextended(s.query_set, 0)), s.query_set, s.query_id
    limit own_queries.query_count - own_queries.stored_count);
  set_count := cardinality(queries) - stored_count;
end
$$;

comment on function braid_store.own_queries(int, int, int, int) is
  'Vectors of queries of a tenant, at most query_count: those stored for the collection, the last used first, and then, drawn '
  'by a hash, those of its query sets. stored_count, set_count: how many of each.';
