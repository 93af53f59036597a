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
as $$
begin
  select coalesce(array_agg(q.embedding order by q.ordinality), '{}'), count(*) filter (where q.source = 'stored'),
         count(*) filter (where q.source = 'query_sets')
  into queries, stored_count, set_count
  from (
    select e.*
    from braid_store.extend_own_queries(
           own_queries.tenant_id, own_queries.collection_id, own_queries.vector_space_id, own_queries.query_count)
         with ordinality e
    limit own_queries.query_count
  ) q;
end
$$;

comment on function braid_store.own_queries(int, int, int, int) is
  'Vectors of queries of a tenant, at most query_count, as parts have them: those stored for the collection, then those of its query '
  'sets. stored_count, set_count: how many of each.';
