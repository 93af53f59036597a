create or replace function braid_store.effective_ranking(ranking jsonb, configuration jsonb)
returns jsonb
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_fusion text := coalesce(configuration ->> 'fusion', ranking ->> 'fusion');
begin
  if not braid_store.keeps_weights(ranking ->> 'fusion', v_fusion) then
    -- See choose_fusion: with another fusion, a weight only counts if it is 0.
    ranking := ranking || (
      select jsonb_object_agg(w.key, w.value = '0') from jsonb_each(ranking) w
      where w.key in ('full_text_weight', 'semantic_weight', 'sparse_weight'));
  end if;
  return ranking - array(
    select k.key
    from (values
      ('rrf_k', v_fusion <> 'rrf'),
      ('normalisation', v_fusion in ('rrf', 'dbsf')),
      -- compile_request ignores these settings in these cases, too.
      ('smoothing', v_fusion <> 'convex' or ranking -> 'normalisation' <> '"centroid"'),
      ('question_penalty', v_fusion <> 'convex' or ranking -> 'normalisation' <> '"centroid"'),
      ('speaker_weight', v_fusion <> 'convex' or ranking -> 'normalisation' <> '"centroid"')
    ) k (key, is_without_effect)
    where k.is_without_effect);
end
$$;

comment on function braid_store.effective_ranking(jsonb, jsonb) is
  'Return a ranking without the settings that other settings make ineffective. Rankings with equal results give the '
  'same scores. configuration: the search settings; its fusion overrides the ranking''s.';
