create or replace function braid_store.relevant_candidates(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
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
declare
  v_limits record := braid_store.relevance_limits((request.options).min_relevance);
  v_relevance float8[] := braid_store.relevance(request, candidates);
begin
  if request.named_ids is not null then
    -- A query asks for the document that it names.
    v_relevance := array(
      select case when c.boosts @> '[{"signal": "exact_name"}]' then 1 else v_relevance[c.ordinality] end
      from unnest(relevant_candidates.candidates) with ordinality c
      order by c.ordinality);
  end if;
  if (select max(r) from unnest(v_relevance) r) < v_limits.best_row then
    return '{}';
  end if;
  return array(
    select u.candidate
    from (
      select unnest(relevant_candidates.candidates) as candidate, generate_subscripts(relevant_candidates.candidates,
        1) as place,
             unnest(v_relevance) as relevance
    ) u
    where u.relevance >= v_limits.each_row
    order by u.place);
end
$$;

comment on function braid_store.relevant_candidates(braid_store.search_request, braid_store.fused_candidate[]) is
  'Return the candidates that are at least as relevant as the option min_relevance asks, in their order. Return none '
  'if min_relevance is auto and the best candidate is less relevant than auto asks of it.';
