-- role: administrator
-- tenants: all
-- Collections are defined for all tenants.
create or replace function braid_store.update_ranking(
  collection text,
  k1 float8,
  b float8,
  title_weight float8,
  full_text_weight float8,
  semantic_weight float8,
  rrf_k float8,
  fusion text,
  normalisation text,
  preset text,
  neighbour_weight float8,
  smoothing float8,
  statistics_scope text,
  bm25_variant text,
  sparse_weight float8,
  sparse_encoder text,
  ranking_model text
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_old braid_store.collections;
  v_new braid_store.collections;
  v_preset braid_store.collections;
begin
  v_old := braid_store.find_collection(update_ranking.collection);
  -- Locked, because two changes that are each valid alone may be invalid together.
  v_old := braid_store.lock_definition(v_old);
  v_new := braid_store.choose_fusion(v_old, coalesce(update_ranking.fusion, case preset when 'rrf' then 'rrf' else v_old.fusion end));
  if preset is not null then
    v_preset := braid_store.ranking_preset(preset, v_new.fusion);
    v_new.k1 := v_preset.k1;
    v_new.b := v_preset.b;
    v_new.title_weight := v_preset.title_weight;
    v_new.full_text_weight := v_preset.full_text_weight;
    v_new.semantic_weight := v_preset.semantic_weight;
    v_new.neighbour_weight := v_preset.neighbour_weight;
    v_new.smoothing := v_preset.smoothing;
    v_new.statistics_scope := v_preset.statistics_scope;
    v_new.sparse_weight := v_preset.sparse_weight;
    if preset = 'rrf' then
      v_new.rrf_k := 60;
    end if;
  end if;
  v_new.k1 := coalesce(update_ranking.k1, v_new.k1);
  v_new.b := coalesce(update_ranking.b, v_new.b);
  v_new.title_weight := coalesce(update_ranking.title_weight, v_new.title_weight);
  v_new.full_text_weight := coalesce(update_ranking.full_text_weight, v_new.full_text_weight);
  v_new.semantic_weight := coalesce(update_ranking.semantic_weight, v_new.semantic_weight);
  v_new.rrf_k := coalesce(update_ranking.rrf_k, v_new.rrf_k);
  v_new.normalisation := coalesce(update_ranking.normalisation, v_new.normalisation);
  v_new.neighbour_weight := coalesce(update_ranking.neighbour_weight, v_new.neighbour_weight);
  v_new.smoothing := coalesce(update_ranking.smoothing, v_new.smoothing);
  v_new.statistics_scope := coalesce(update_ranking.statistics_scope, v_new.statistics_scope);
  v_new.bm25_variant := coalesce(update_ranking.bm25_variant, v_new.bm25_variant);
  v_new.sparse_weight := coalesce(update_ranking.sparse_weight, v_new.sparse_weight);
  if num_nonnulls(update_ranking.sparse_encoder, update_ranking.ranking_model) > 0 then
    v_new.parts := braid_store.parts_with(v_new.parts, jsonb_build_object(
      'sparse_encoder', nullif(coalesce(update_ranking.sparse_encoder, v_new.parts ->> 'sparse_encoder'), ''),
      'ranking_model', nullif(coalesce(update_ranking.ranking_model, v_new.parts ->> 'ranking_model'), '')));
  end if;
  if octet_length(update_ranking.ranking_model) > 255 then
    raise exception 'ranking_model has % bytes', octet_length(update_ranking.ranking_model)
      using errcode = '22023', hint = 'Give the name of a model, 1 to 255 bytes, or an empty one for none.';
  end if;

  perform braid_store.write_ranking(v_old, v_new, null, null, null);
end
$$;

comment on function braid_store.update_ranking(text, float8, float8, float8, float8, float8, float8, text, text, text,
                                           float8, float8, text, text, float8, text, text) is
  'Does the work of braid.set_ranking.';
