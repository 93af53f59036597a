create or replace function braid_store.fuse_ranks(
  request braid_store.search_request,
  leg_candidates braid_store.found_candidates,
  out candidates braid_store.fused_candidate[],
  out report jsonb,
  out unseen float8
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_collection braid_store.collections := request.collection;
begin
  candidates := braid_store.order_candidates(request.tenant_id, braid_store.fuse_rrf(
    leg_candidates.full_text, leg_candidates.semantic, leg_candidates.sparse, v_collection.full_text_weight,
    v_collection.semantic_weight, v_collection.sparse_weight, v_collection.rrf_k));
  report := jsonb_build_object(
    'fusion', 'rrf', 'rrf_k', v_collection.rrf_k,
    'weights', jsonb_build_object('full_text', v_collection.full_text_weight, 'semantic', v_collection.semantic_weight)
               || case when (request.sparse).terms is null then '{}'
                       else jsonb_build_object('sparse', v_collection.sparse_weight) end);
  unseen := case when cardinality(leg_candidates.full_text) >= request.candidate_count
                 then v_collection.full_text_weight
                      / (v_collection.rrf_k + request.candidate_count + 1) else 0 end
            + case when cardinality(leg_candidates.semantic) >= request.candidate_count
                   then v_collection.semantic_weight
                        / (v_collection.rrf_k + cardinality(leg_candidates.semantic) + 1) else 0 end
            + case when cardinality(leg_candidates.sparse) >= request.candidate_count
                   then v_collection.sparse_weight
                        / (v_collection.rrf_k + cardinality(leg_candidates.sparse) + 1) else 0 end;
end
$$;

comment on function braid_store.fuse_ranks(braid_store.search_request, braid_store.found_candidates) is
  'Fuse the candidates of all legs by their ranks (rrf) into one list, best first. report: the settings that the '
  'fusion used. unseen: the highest score that a chunk found by no leg could get.';
