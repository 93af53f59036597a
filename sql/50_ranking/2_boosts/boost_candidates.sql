create or replace function braid_store.boost_candidates(
  tenant_id int,
  candidates braid_store.fused_candidate[],
  boosts braid_store.boost[]
)
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  v_sql record := braid_store.boost_expressions(boosts);
  v_boosted braid_store.fused_candidate[];
  v_is_tied boolean;
begin
  execute format($query$
    select coalesce(array_agg(o.candidate), '{}'), bool_or(o.is_tied)
    from (
      select row(f.chunk_id, s.score, f.full_text_score, f.full_text_normalised_score, f.full_text_rank, f.semantic_score,
                 f.semantic_normalised_score, f.semantic_rank, f.fused_score, f.boosts, f.group_score)
               ::braid_store.fused_candidate as candidate,
             lag(s.score) over best_first = s.score as is_tied
      from unnest($2) f,
           lateral (
             select %s from braid_store.chunks c where c.tenant_id = $1 and c.id = f.chunk_id offset 0
           ) v,
           lateral (select %s offset 0) p,
           lateral (select case when f.score < 1e-150 then 0 else f.score end%s as score offset 0) s
      window best_first as (order by s.score desc)
    ) o
    $query$, v_sql.sources, v_sql.parts, v_sql.sum)
  into v_boosted, v_is_tied
  using boost_candidates.tenant_id, boost_candidates.candidates;
  return case when v_is_tied then braid_store.order_candidates(tenant_id, v_boosted) else v_boosted end;
end
$$;

comment on function braid_store.boost_candidates(int, braid_store.fused_candidate[], braid_store.boost[]) is
  'Applies boosts to the scores of fused candidates and sorts them, best first. boosts: from compile_boosts. What each '
  'boost did is told by report_boosts, for the few that are shown.';
