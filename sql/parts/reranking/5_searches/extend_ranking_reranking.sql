create or replace function braid_store.extend_ranking_reranking(
  inout candidates braid_store.fused_candidate[],
  request braid_store.search_request
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if request.parts ? 'late_interaction' then
    candidates := braid_store.rank_by_tokens(request, candidates);
  end if;
  if request.parts ? 'ranking_model' then
    candidates := braid_store.rank_by_ranking_model(request, candidates);
  end if;
end
$$;

comment on function braid_store.extend_ranking_reranking(braid_store.fused_candidate[], braid_store.search_request) is
  'Rank candidates by late interaction, then by a ranking model, as the search asks.';
