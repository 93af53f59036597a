create or replace function braid_store.fuse_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  query_embedding @vector@.vector,
  full_text braid_store.candidate[],
  semantic braid_store.candidate[],
  fusion text,
  full_text_weight float8,
  semantic_weight float8,
  rrf_k float8,
  options jsonb,
  candidate_count int,
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
#variable_conflict use_variable
declare
  v_is_text_cut boolean := cardinality(full_text) >= candidate_count;
  v_is_near_cut boolean := cardinality(semantic) >= candidate_count;
  v_last_text float8;
  v_last_near float8;
begin
  if fusion = 'rrf' then
    candidates := braid_store.fuse_rrf(full_text, semantic, full_text_weight, semantic_weight, rrf_k);
    report := jsonb_build_object(
      'fusion', fusion, 'rrf_k', rrf_k,
      'weights', jsonb_build_object('full_text', full_text_weight, 'semantic', semantic_weight));
    unseen := case when v_is_text_cut then full_text_weight / (rrf_k + cardinality(full_text) + 1) else 0 end
              + case when v_is_near_cut then semantic_weight / (rrf_k + cardinality(semantic) + 1) else 0 end;
  else
    candidates := braid_store.complete_candidates(tenant_id, collection, query, query_embedding, full_text, semantic);
    select s.candidates, s.report into candidates, report
    from braid_store.fuse_scores(
           tenant_id, collection, query_embedding, fusion, full_text_weight, semantic_weight,
           case fusion when 'dbsf' then fusion else braid_store.leg_normalisation(collection, options, 'full_text') end,
           case fusion when 'dbsf' then fusion else braid_store.leg_normalisation(collection, options, 'semantic') end,
           candidates) s;
    -- As if it were the last one of each leg; what has no embedding may count for more.
    select coalesce(max(c.full_text_normalised_score) filter (where v_is_text_cut
                                                                and c.full_text_rank = cardinality(full_text)),
                    min(c.full_text_normalised_score)),
           greatest(coalesce(max(c.semantic_normalised_score) filter (where c.semantic_rank = cardinality(semantic)
                                                                        or c.semantic_score is null),
                             min(c.semantic_normalised_score)),
                    case when v_is_text_cut then least(greatest((n.assumed - n.shift) / n.scale, n.floor), n.ceiling) end)
    into v_last_text, v_last_near
    from unnest(candidates) c,
         jsonb_to_record(report -> 'semantic') n (assumed float8, shift float8, scale float8, floor float8, ceiling float8)
    group by n.assumed, n.shift, n.scale, n.floor, n.ceiling;
    v_last_text := v_last_text * (report #>> '{weights,full_text}')::float8;
    v_last_near := v_last_near * (report #>> '{weights,semantic}')::float8;
    unseen := case when fusion <> 'max' then v_last_text + v_last_near
                   when full_text_weight = 0 then v_last_near
                   when semantic_weight = 0 then v_last_text
                   else greatest(v_last_text, v_last_near) end;
  end if;
  candidates := braid_store.order_candidates(tenant_id, candidates);
end
$$;

comment on function braid_store.fuse_candidates(int, braid_store.collections, braid_store.text_query, @vector@.vector,
                                                braid_store.candidate[], braid_store.candidate[], text, float8, float8,
                                                float8, jsonb, int) is
  'The candidates of both legs, candidate_count of each at most, fused, best first; how they were fused; and what a chunk '
  'that no leg proposed would get at most, scales being equal.';
