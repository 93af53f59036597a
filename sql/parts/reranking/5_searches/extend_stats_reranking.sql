create or replace function braid_store.extend_stats_reranking(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_stats jsonb := '{}';
begin
  if request.parts ? 'late_interaction' then
    v_stats := jsonb_build_object(
      'candidates_without_token_vectors',
      (select count(*) from unnest(candidates) c where c.boosts @> '[{"signal": "late_interaction", "value": null}]'));
  end if;
  return v_stats || (
    select coalesce(jsonb_object_agg(o.key, o.value), '{}')
    from jsonb_each((request.options).parts) o
    where o.key in ('ranking_model', 'profile'));
end
$$;

comment on function braid_store.extend_stats_reranking(braid_store.search_request, braid_store.fused_candidate[]) is
  'Return stats of a search: how many candidates ranked by late interaction have no token vectors, and the states of '
  'ranking_model and profile.';
