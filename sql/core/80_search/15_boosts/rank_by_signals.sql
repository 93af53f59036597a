create or replace function braid_store.rank_by_signals(
  tenant_id int,
  candidates braid_store.fused_candidate[],
  weights jsonb
)
returns braid_store.fused_candidate[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set extra_float_digits = 1
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  c_half_life constant float8 := 604800; -- recency halves every seven days
  v_now float8 := extract(epoch from now())::float8;
  v_sum float8 := coalesce((weights ->> 'similarity')::float8, 0) + coalesce((weights ->> 'importance')::float8, 0)
                  + coalesce((weights ->> 'recency')::float8, 0);
  v_similarity_weight float8 := (weights ->> 'similarity')::float8 / v_sum;
  v_importance_weight float8 := (weights ->> 'importance')::float8 / v_sum;
  v_recency_weight float8 := (weights ->> 'recency')::float8 / v_sum;
  v_scores float8[];
  v_reports jsonb[];
begin
  -- Park et al. 2023, "Generative Agents": the score is a weighted sum of relevance, importance and recency, each
  -- normalised to 0..1 over the candidates.
  with signals as (
    select f.score, f.ordinality, c.importance,
           case when c.occurred_at is not null
                -- Age counts from the newest candidate, not from now. Counted from now, old candidates would all be at
                -- the limit of 60 half-lives.
                then power(0.5::float8, least(greatest(least(v_now, max(c.occurred_at) over ()) - c.occurred_at, 0)
                                              / c_half_life, 60))
                end as recency
    from unnest(rank_by_signals.candidates) with ordinality f,
         lateral (
           -- number_field sets the same bounds. The test for null is needed because greatest() and least()
           -- ignore nulls.
           select case when c.importance is null then null when abs(c.importance) < 1e-9 then 0
                       else least(greatest(c.importance, -1e9), 1e9) end as importance,
                  extract(epoch from c.occurred_at)::float8 as occurred_at
           from braid_store.chunks c
           where c.tenant_id = rank_by_signals.tenant_id and c.id between f.chunk_id and f.chunk_id
           order by c.id
           offset 0
         ) c
  ), scales as (
    select s.similarity, s.importance, s.recency, m.mean_importance, m.mean_recency
    from (
      select min(v.score) as low_similarity, max(v.score) as high_similarity,
             min(v.importance) as low_importance, max(v.importance) as high_importance,
             -- Sums run in the order of the values, so that equal values give equal sums to the last bit.
             avg(v.importance order by v.importance) as mean_importance,
             min(v.recency) as low_recency, max(v.recency) as high_recency,
             avg(v.recency order by v.recency) as mean_recency
      from signals v
    ) m,
         lateral (
           select braid_store.score_scale('minmax', 'similarity', null, m.low_similarity, m.high_similarity, null, null,
                                          null, null) as similarity,
                  braid_store.score_scale('minmax', 'importance', null, m.low_importance, m.high_importance, null, null,
                                          null, null) as importance,
                  braid_store.score_scale('minmax', 'recency', null, m.low_recency, m.high_recency, null, null,
                                          null, null) as recency
           offset 0
         ) s
  )
  select array_agg(t.score order by v.ordinality),
         array_agg(jsonb_path_query_array(
                     jsonb_build_array(
                       jsonb_build_object('signal', 'similarity', 'value', v.score, 'normalised_value', n.similarity,
                                          'weight', v_similarity_weight),
                       jsonb_build_object('signal', 'importance', 'value', v.importance, 'normalised_value',
                         n.importance,
                                          'weight', v_importance_weight),
                       jsonb_build_object('signal', 'recency', 'value', v.recency, 'normalised_value', n.recency,
                                          'weight', v_recency_weight)),
                     '$[*] ? (@.weight != null)') order by v.ordinality)
  into v_scores, v_reports
  from signals v, scales s,
       lateral (
         select least(greatest((v.score - (s.similarity).shift) / (s.similarity).scale, (s.similarity).floor),
                      (s.similarity).ceiling) as similarity,
                least(greatest((coalesce(v.importance, s.mean_importance, 0) - (s.importance).shift)
                               / (s.importance).scale, (s.importance).floor), (s.importance).ceiling) as importance,
                least(greatest((coalesce(v.recency, s.mean_recency, 0) - (s.recency).shift) / (s.recency).scale,
                               (s.recency).floor), (s.recency).ceiling) as recency
         offset 0
       ) n,
       lateral (
         select coalesce(v_similarity_weight * n.similarity, 0) + coalesce(v_importance_weight * n.importance, 0)
                + coalesce(v_recency_weight * n.recency, 0) as score
         offset 0
       ) t;
  for v_place in 1..cardinality(candidates) loop
    candidates[v_place].boosts := coalesce(candidates[v_place].boosts, '[]') || v_reports[v_place];
  end loop;
  return braid_store.rescore_candidates(rank_by_signals.tenant_id, candidates, v_scores);
end
$$;

comment on function braid_store.rank_by_signals(int, braid_store.fused_candidate[], jsonb) is
  'Give candidates new scores, and sort them, best first. A score is the sum of weight × normalised value of the '
  'signals similarity (the score so far), importance and recency. recency is 1 for the newest candidate and halves '
  'for each seven days before it, down to 2^-60. For each signal the lowest value among the candidates becomes 0 and '
  'the highest 1; if all are equal, they become 1. A chunk without importance or occurred_at gets the mean of the '
  'other chunks. weights gives the weight of each signal; the weights are divided by their sum. The candidates'' '
  'boosts report each value, its normalised value and its weight.';
