create or replace function braid_store.ranking_preset(preset text, fusion text)
returns braid_store.collections
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_preset braid_store.collections;
begin
  v_preset.k1 := 1.2;
  v_preset.b := null;
  v_preset.title_weight := 1;
  v_preset.sparse_weight := braid_store.default_weight(fusion, 'sparse');
  v_preset.statistics_scope := 'auto';
  case preset
    when 'prose' then
      v_preset.full_text_weight := 0.6;
      v_preset.semantic_weight := 0.4;
      v_preset.neighbour_weight := 0;
      v_preset.smoothing := 0.5;
    when 'conversation' then
      v_preset.full_text_weight := 0.7;
      v_preset.semantic_weight := 0.3;
      v_preset.neighbour_weight := 0.2;
      v_preset.smoothing := 0;
    when 'rrf' then
      v_preset.full_text_weight := 1;
      v_preset.semantic_weight := 1;
      v_preset.neighbour_weight := 0;
      v_preset.smoothing := 0;
    else
      raise exception 'preset is %', coalesce('''' || left(preset, 100) || '''', 'null')
        using errcode = '22023',
              hint = 'Use prose, conversation where the chunks of a document are turns that follow each other, or rrf for '
                     'reciprocal rank fusion.';
  end case;
  -- A preset's shares are tuned for convex. rrf and max do not divide weights by their sum.
  if fusion in ('rrf', 'max') then
    v_preset.full_text_weight := braid_store.default_weight(fusion, 'full_text');
    v_preset.semantic_weight := braid_store.default_weight(fusion, 'semantic');
  end if;
  return v_preset;
end
$$;

comment on function braid_store.ranking_preset(text, text) is
  'Returns the ranking settings of a preset, prose, conversation or rrf, as a collection in which all else is null. '
  'The weights are those of the fusion if it is rrf or max. Raises 22023 for another name.';
