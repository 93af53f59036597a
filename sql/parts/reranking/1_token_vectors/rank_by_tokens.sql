create or replace function braid_store.rank_by_tokens(
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
set extra_float_digits = 1
as $$
declare
  v_option jsonb := request.parts -> 'late_interaction';
  v_weight float8 := v_option ->> 'weight';
  v_count int := least(cardinality(candidates), (v_option ->> 'candidates')::int);
  v_similarities float8[];
  v_low float8;
  v_high float8;
  v_low_score float8;
  v_high_score float8;
  v_normalised float8;
  v_scores float8[] := array(select c.score from unnest(candidates) with ordinality c order by c.ordinality);
begin
  v_similarities := braid_store.max_similarities(
    request.tenant_id, request.collection,
    array(select c.chunk_id from unnest(candidates[:v_count]) with ordinality c order by c.ordinality),
    array(select u.vector::@vector@.halfvec
          from jsonb_array_elements_text(v_option -> 'vectors') with ordinality u (vector, place) order by u.place));
  select min(s.similarity), max(s.similarity) into v_low, v_high from unnest(v_similarities) s (similarity);
  select min(c.score), max(c.score) into v_low_score, v_high_score from unnest(candidates[:v_count]) c;
  for v_place in 1..v_count loop
    -- Stay within the scores of the compared candidates, so that later candidates stay behind them.
    v_normalised := case when v_high > v_low
                         then least(greatest(v_low_score + (v_high_score - v_low_score)
                                                           * ((v_similarities[v_place] - v_low) / (v_high - v_low)),
                                             v_low_score), v_high_score) end;
    v_normalised := case when v_similarities[v_place] is not null then v_normalised end;
    -- Keep rounding from pushing a score below both of its sources: equal scores stay equal, and no score falls below
    -- the candidates that were not compared.
    if v_normalised is not null then
      v_scores[v_place] := greatest(v_scores[v_place] + v_weight * (v_normalised - v_scores[v_place]),
                                    least(v_scores[v_place], v_normalised));
    end if;
    candidates[v_place].boosts := coalesce(candidates[v_place].boosts, '[]') || jsonb_build_object(
      'signal', 'late_interaction', 'value', v_similarities[v_place], 'normalised_value', v_normalised,
      'share', v_weight, 'score', v_scores[v_place]);
  end loop;
  return braid_store.rescore_candidates(request.tenant_id, candidates, v_scores);
end
$$;

comment on function braid_store.rank_by_tokens(braid_store.search_request, braid_store.fused_candidate[]) is
  E'Score the best candidates anew by their token vectors, and sort all candidates, best first.\n'
  'The new score is a weighted mean of the old score and the normalised similarity; weight is the similarity''s '
  'share. Similarities from max_similarities are scaled to the range of the first candidates'' scores. A chunk '
  'without token vectors keeps its score; all scores stay if the similarities are equal. The column boosts has the '
  'similarity, its normalised value, its share and the score.';
