create or replace function braid_store.rescore_candidates(
  tenant_id int,
  candidates braid_store.fused_candidate[],
  scores float8[]
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
declare
  v_rescored braid_store.fused_candidate[];
  v_is_tied boolean;
begin
  select coalesce(array_agg(o.candidate), '{}'), bool_or(o.is_tied)
  into v_rescored, v_is_tied
  from (
    select row(c.chunk_id, s.score, c.full_text_score, c.full_text_normalised_score, c.full_text_rank, c.semantic_score,
               c.semantic_normalised_score, c.semantic_rank, c.fused_score, c.boosts, c.group_score, c.sparse_score,
               c.sparse_normalised_score, c.sparse_rank)
             ::braid_store.fused_candidate as candidate,
           lag(s.score) over best_first = s.score as is_tied
    from unnest(rescore_candidates.candidates) with ordinality c,
         lateral (select rescore_candidates.scores[c.ordinality] as score offset 0) s
    window best_first as (order by s.score desc)
  ) o;
  return case when v_is_tied then braid_store.order_candidates(rescore_candidates.tenant_id, v_rescored)
    else v_rescored end;
end
$$;

comment on function braid_store.rescore_candidates(int, braid_store.fused_candidate[], float8[]) is
  'Give each candidate the score at its place in scores, and sort the candidates as order_candidates does. Functions '
  'that rerank candidates call this function, so that no other code depends on the attributes of a candidate.';
