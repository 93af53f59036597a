create or replace function braid_store.fuse_candidates(
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
#variable_conflict use_variable
declare
  v_collection braid_store.collections := request.collection;
  v_text_weight float8 := v_collection.full_text_weight;
  v_near_weight float8 := v_collection.semantic_weight;
  v_text_count int := cardinality(leg_candidates.full_text);
  v_near_count int := cardinality(leg_candidates.semantic);
  v_is_text_cut boolean := v_text_count >= request.candidate_count;
  v_is_near_cut boolean := v_near_count >= request.candidate_count;
  v_last_text float8;
  v_last_near float8;
begin
  if v_collection.fusion = 'rrf' then
    candidates := braid_store.fuse_rrf(leg_candidates.full_text, leg_candidates.semantic, v_text_weight,
                                       v_near_weight, v_collection.rrf_k);
    report := jsonb_build_object(
      'fusion', 'rrf', 'rrf_k', v_collection.rrf_k,
      'weights', jsonb_build_object('full_text', v_text_weight, 'semantic', v_near_weight));
    unseen := case when v_is_text_cut then v_text_weight / (v_collection.rrf_k + v_text_count + 1) else 0 end
              + case when v_is_near_cut then v_near_weight / (v_collection.rrf_k + v_near_count + 1) else 0 end;
  else
    candidates := braid_store.complete_candidates(request, leg_candidates);
    select s.candidates, s.report into candidates, report from braid_store.fuse_scores(request, candidates) s;
    -- An unseen chunk is at best like the last candidate of each leg. One without an embedding may count for more,
    -- because it gets the assumed similarity.
    select coalesce(max(c.full_text_normalised_score) filter (where v_is_text_cut and c.full_text_rank = v_text_count),
                    min(c.full_text_normalised_score)),
           greatest(coalesce(max(c.semantic_normalised_score) filter (where c.semantic_rank = v_near_count
                                                                        or c.semantic_score is null),
                             min(c.semantic_normalised_score)),
                    case when v_is_text_cut then least(greatest((n.assumed - n.shift) / n.scale, n.floor), n.ceiling) end)
    into v_last_text, v_last_near
    from unnest(candidates) c,
         jsonb_to_record(report -> 'semantic') n (assumed float8, shift float8, scale float8, floor float8, ceiling float8)
    group by n.assumed, n.shift, n.scale, n.floor, n.ceiling;
    v_last_text := v_last_text * (report #>> '{weights,full_text}')::float8;
    v_last_near := v_last_near * (report #>> '{weights,semantic}')::float8;
    unseen := case when v_collection.fusion <> 'max' then v_last_text + v_last_near
                   when v_text_weight = 0 then v_last_near
                   when v_near_weight = 0 then v_last_text
                   else greatest(v_last_text, v_last_near) end;
  end if;
  candidates := braid_store.order_candidates(request.tenant_id, candidates);
end
$$;

comment on function braid_store.fuse_candidates(braid_store.search_request, braid_store.found_candidates) is
  'Combines the candidates of both legs into one list, best first. report: how they were combined. unseen: the highest '
  'score that a chunk found by neither leg could get, if the scales stay the same.';
