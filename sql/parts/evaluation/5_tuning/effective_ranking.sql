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
    -- As choose_fusion has it: of the weights, only those that are 0 count.
    ranking := ranking || (
      select jsonb_object_agg(w.key, w.value = '0') from jsonb_each(ranking) w
      where w.key in ('full_text_weight', 'semantic_weight', 'sparse_weight'));
  end if;
  return ranking - array(
    select k.key
    from (values
      ('rrf_k', v_fusion <> 'rrf'),
      ('normalisation', v_fusion in ('rrf', 'dbsf')),
      -- As compile_request has it.
      ('smoothing', v_fusion <> 'convex' or ranking -> 'normalisation' <> '"centroid"')
    ) k (key, is_without_effect)
    where k.is_without_effect);
end
$$;

comment on function braid_store.effective_ranking(jsonb, jsonb) is
  'Return a ranking without the settings that change nothing because of others: rankings that have the same left '
  'give the same scores. configuration: that of the searches, whose fusion counts first.';
