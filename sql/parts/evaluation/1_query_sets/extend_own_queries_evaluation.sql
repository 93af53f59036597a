create or replace function braid_store.extend_own_queries_evaluation(
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
declare
  -- Above this many queries, only a part is drawn from.
  c_most_read constant int := 10000;
begin
  return query
  select 'query_sets', s.embedding
  from (
    select e.query_set, e.query_id, e.embedding
    from braid_store.query_set_embeddings e
    where e.tenant_id = extend_own_queries_evaluation.tenant_id
      and e.vector_space_id = extend_own_queries_evaluation.vector_space_id
    limit c_most_read
  ) s
  order by hashtextextended(s.query_id, hashtextextended(s.query_set, 0)), s.query_set, s.query_id
  limit extend_own_queries_evaluation.query_count;
end
$$;

comment on function braid_store.extend_own_queries_evaluation(int, int, int, int) is
  'Return the vectors of a random sample of a tenant''s query set queries, drawn by a hash.';
