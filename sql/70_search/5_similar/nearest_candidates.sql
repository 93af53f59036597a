create or replace function braid_store.nearest_candidates(
  tenant_id int,
  collection braid_store.collections,
  embedding @vector@.vector,
  filter braid_store.filter,
  min_score float8,
  candidate_count int,
  options jsonb
)
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(
    select row(c.chunk_id, c.score, null, null, null, c.score, c.score, c.rank, c.score, null, null)
             ::braid_store.fused_candidate
    from braid_store.semantic_candidates(
           nearest_candidates.tenant_id, nearest_candidates.collection, nearest_candidates.embedding,
           nearest_candidates.filter,
           greatest(nearest_candidates.min_score,
                    (nearest_candidates.options ->> 'semantic_min_score')::float8),
           nearest_candidates.candidate_count,
           coalesce((nearest_candidates.options ->> 'exact')::boolean, false),
           (nearest_candidates.options ->> 'ef_search')::float8::int) n,
         unnest(n.candidates) c
    order by c.rank);
end
$$;

comment on function braid_store.nearest_candidates(int, braid_store.collections, @vector@.vector, braid_store.filter,
                                                   float8, int, jsonb) is
  'The chunks nearest to a stored vector under a filter, best first: the semantic leg by itself.';
