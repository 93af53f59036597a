create or replace function braid_store.fuse_scores(
  request braid_store.search_request,
  inout candidates braid_store.fused_candidate[],
  out report jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_variable
declare
  v_collection braid_store.collections := request.collection;
  v_fusion text := v_collection.fusion;
  v_distance text := (select s.distance from braid_store.vector_spaces s where s.id = v_collection.vector_space_id);
  v_full_text_weight float8 := v_collection.full_text_weight;
  v_semantic_weight float8 := v_collection.semantic_weight;
  v_text_normalisation text := case v_fusion when 'dbsf' then 'dbsf' else (request.options).full_text_normalisation end;
  v_near_normalisation text := case v_fusion when 'dbsf' then 'dbsf' else (request.options).semantic_normalisation end;
  v_text record;
  v_near record;
  v_collection_mean float8;
  v_assumed float8;
  v_text_scale record;
  v_near_scale record;
begin
  if v_fusion <> 'max' then
    v_full_text_weight := v_collection.full_text_weight / (v_collection.full_text_weight + v_collection.semantic_weight);
    v_semantic_weight := v_collection.semantic_weight / (v_collection.full_text_weight + v_collection.semantic_weight);
  end if;
  -- Summed in the order of the scores, so that the same scores give the same sums to the last bit.
  select count(s) as count, min(s) as lowest, max(s) as highest, avg(s order by s) as mean,
         stddev_samp(s order by s) as deviation
  into v_text
  from (select c.full_text_score as s from unnest(candidates) c) c;
  select count(s) as count, min(s) as lowest, max(s) as highest, avg(s order by s) as mean,
         stddev_samp(s order by s) as deviation, count(*) - count(s) as missing
  into v_near
  from (select c.semantic_score as s from unnest(candidates) c) c;
  -- With these normalisations, scores do not depend on how many candidates there are. So the similarity that a chunk
  -- without an embedding gets must not depend on it, either.
  if v_near.count > 0
     and (v_near_normalisation = 'centroid'
          or v_near.missing > 0 and v_near_normalisation in ('theoretical', 'saturate', 'none')) then
    v_collection_mean := braid_store.mean_similarity(request.tenant_id, v_collection, v_distance, request.query_embedding);
  end if;
  v_assumed := coalesce(v_collection_mean, v_near.mean);

  v_text_scale := braid_store.score_scale(v_text_normalisation, 'full_text', v_distance, v_text.lowest,
                                          v_text.highest, v_text.mean, v_text.deviation, null);
  v_near_scale := braid_store.score_scale(v_near_normalisation, 'semantic', v_distance, v_near.lowest, v_near.highest,
                                          v_near.mean, v_near.deviation, v_collection_mean);
  candidates := array(
    select row(c.chunk_id, t.score, c.full_text_score, n.full_text, c.full_text_rank, c.semantic_score, n.semantic,
               c.semantic_rank, t.score, null, null)::braid_store.fused_candidate
    from unnest(candidates) c,
         lateral (
           select least(greatest((c.full_text_score - v_text_scale.shift) / v_text_scale.scale, v_text_scale.floor),
                        v_text_scale.ceiling) as full_text,
                  least(greatest((coalesce(c.semantic_score, v_assumed) - v_near_scale.shift) / v_near_scale.scale,
                                 v_near_scale.floor), v_near_scale.ceiling) as semantic
           offset 0
         ) n,
         lateral (
           select case v_fusion when 'max' then greatest(nullif(v_full_text_weight, 0) * n.full_text,
                                                       nullif(v_semantic_weight, 0) * n.semantic)
                              else v_full_text_weight * n.full_text + v_semantic_weight * n.semantic end as score
           offset 0
         ) t);
  report := jsonb_build_object(
    'fusion', v_fusion,
    'weights', jsonb_build_object('full_text', v_full_text_weight, 'semantic', v_semantic_weight),
    'full_text', jsonb_build_object(
      'normalisation', v_text_normalisation, 'count', v_text.count, 'min', v_text.lowest, 'max', v_text.highest,
      'mean', v_text.mean, 'deviation', v_text.deviation, 'shift', v_text_scale.shift, 'scale', v_text_scale.scale,
      'floor', v_text_scale.floor, 'ceiling', v_text_scale.ceiling),
    'semantic', jsonb_build_object(
      'normalisation', v_near_normalisation, 'count', v_near.count, 'min', v_near.lowest, 'max', v_near.highest,
      'mean', v_near.mean, 'deviation', v_near.deviation, 'collection_mean', v_collection_mean,
      'shift', v_near_scale.shift, 'scale', v_near_scale.scale, 'floor', v_near_scale.floor,
      'ceiling', v_near_scale.ceiling, 'assumed', v_assumed, 'without_embedding', v_near.missing));
end
$$;

comment on function braid_store.fuse_scores(braid_store.search_request, braid_store.fused_candidate[]) is
  'Scores candidates that complete_candidates gave by their scores in both legs. convex and dbsf: the sum of weight × '
  'normalised score; the weights are divided by their sum. max: the greater of the two products, with the weights as '
  'they are; a weight of 0 leaves its leg out. A chunk without an embedding gets the collection''s mean similarity, or '
  'under minmax, zscore and dbsf the mean over the candidates. report: everything needed to compute a row''s score '
  'again.';
