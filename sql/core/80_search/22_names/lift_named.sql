create or replace function braid_store.lift_named(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[],
  lifted_ids bigint[]
)
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_best float8 := greatest((select max(c.score) from unnest(lift_named.candidates) c), 0);
  -- Where boosts or signals leave no score above 0, a share of 0 would lift nothing.
  v_addend float8 := (request.collection).name_weight * coalesce(nullif(v_best, 0), 1);
  -- Other boosts have replaced negative scores by 0 already.
  v_least float8 := case when request.boosts = '{}' and (request.options).rank_by is null then 1e-150 end;
  v_candidates braid_store.fused_candidate[];
begin
  -- Chunks that named_chunks added leave, unless they are lifted.
  v_candidates := array(
    select c from unnest(lift_named.candidates) c
    where num_nonnulls(c.full_text_rank, c.semantic_rank, c.sparse_rank) > 0 or c.chunk_id = any (lifted_ids));
  for v_place in 1..cardinality(v_candidates) loop
    if v_candidates[v_place].chunk_id = any (lifted_ids) then
      v_candidates[v_place].boosts := coalesce(v_candidates[v_place].boosts, '[]') || jsonb_build_array(
        jsonb_build_object('signal', 'exact_name', 'value', v_best, 'addend', v_addend));
    end if;
  end loop;
  return braid_store.rescore_candidates(request.tenant_id, v_candidates, array(
    select case when c.chunk_id <> all (lifted_ids) then c.score
                when c.score < v_least then v_addend else c.score + v_addend end
    from unnest(v_candidates) with ordinality c
    order by c.ordinality));
end
$$;

comment on function braid_store.lift_named(braid_store.search_request, braid_store.fused_candidate[], bigint[]) is
  'Add name_weight × the best score of all candidates to the scores of the chunks lifted_ids, and sort the candidates. '
  'If no score is above 0, add name_weight. The attribute boosts reports the addend as signal exact_name.';
