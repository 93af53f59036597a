create or replace function braid_store.fuse_scores(
  request braid_store.search_request,
  leg_candidates braid_store.found_candidates,
  is_reported boolean,
  out candidates braid_store.fused_candidate[],
  out report jsonb,
  out unseen float8
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_collection braid_store.collections := request.collection;
  v_asks_sparse boolean := (request.sparse).terms is not null;
  v_fusion text := v_collection.fusion;
  v_distance text := (select s.distance from braid_store.vector_spaces s where s.id = v_collection.vector_space_id);
  v_weights_sum float8 := case when v_fusion = 'max' then 1
                               else v_collection.full_text_weight + v_collection.semantic_weight
                                    + case when v_asks_sparse then v_collection.sparse_weight else 0 end end;
  v_text_weight float8 := v_collection.full_text_weight / v_weights_sum;
  v_near_weight float8 := v_collection.semantic_weight / v_weights_sum;
  v_sparse_weight float8 := case when v_asks_sparse then v_collection.sparse_weight / v_weights_sum else 0 end;
  v_text_normalisation text := case v_fusion when 'dbsf' then 'dbsf' else (request.options).full_text_normalisation end;
  v_near_normalisation text := case v_fusion when 'dbsf' then 'dbsf' else (request.options).semantic_normalisation end;
  v_sparse_normalisation text := case v_fusion when 'dbsf' then 'dbsf' else (request.options).sparse_normalisation end;
  v_has_text boolean := v_text_weight > 0 or request.query_text <> '';
  v_has_embedding boolean := request.query_embedding is not null;
  v_text_min float8;
  v_near_min float8;
  v_sparse_min float8;
  v_all record;
  v_sparse_mean float8;
  v_sparse_deviation float8;
  v_sparse_shift float8;
  v_sparse_divisor float8;
  v_sparse_floor float8;
  v_sparse_ceiling float8;
  v_last_sparse float8;
  v_text_mean float8;
  v_text_deviation float8;
  v_near_mean float8;
  v_near_deviation float8;
  v_collection_mean float8;
  v_assumed float8;
  v_text_scale record;
  v_near_scale record;
  v_is_tied boolean;
  v_text_count int;
  v_near_count int;
  v_sparse_count int;
  v_last_text float8;
  v_last_near float8;
begin
  v_all := braid_store.complete_candidates(request, leg_candidates, v_distance);
  -- With these normalisations a score does not depend on the number of candidates. The similarity assumed for a chunk
  -- without an embedding must not depend on it either, so it is the collection's mean.
  if v_all.similarity_count > 0
     and (v_near_normalisation = 'centroid'
          or v_all.missing_count > 0 and v_near_normalisation in ('theoretical', 'saturate', 'none')) then
    v_collection_mean := braid_store.mean_similarity(request.tenant_id, v_collection, v_distance,
      request.query_embedding);
  end if;
  -- Most searches need neither means nor deviations. The unseen score needs the mean, because an unseen chunk may have
  -- no embedding.
  if is_reported and (request.options).explain or v_all.missing_count > 0 or request.min_score is not null
     or request.has_deep_pages
     or v_text_normalisation in ('zscore', 'dbsf')
     or v_near_normalisation in ('zscore', 'dbsf')
     or v_asks_sparse and v_sparse_normalisation in ('zscore', 'dbsf') then
    -- Sums run in the order of the scores, so that equal scores give equal sums to the last bit.
    select avg(s order by s), stddev_samp(s order by s) into v_text_mean, v_text_deviation
    from unnest(v_all.text_scores) s;
    select avg(s order by s), stddev_samp(s order by s) into v_near_mean, v_near_deviation
    from unnest(v_all.similarities) s;
    if v_asks_sparse then
      select avg(s order by s), stddev_samp(s order by s) into v_sparse_mean, v_sparse_deviation
      from unnest(v_all.sparse_scores) s;
    end if;
  end if;
  v_assumed := coalesce(v_collection_mean, v_near_mean);

  v_text_scale := braid_store.score_scale(v_text_normalisation, 'full_text', v_distance, v_all.worst_text,
                                          v_all.best_text, v_text_mean, v_text_deviation, null,
                                          (request.options).saturate_at);
  v_near_scale := braid_store.score_scale(v_near_normalisation, 'semantic', v_distance, v_all.worst_similarity,
                                          v_all.best_similarity, v_near_mean, v_near_deviation, v_collection_mean,
                                          null);
  if v_asks_sparse then
    select s.shift, s.scale, s.floor, s.ceiling into v_sparse_shift, v_sparse_divisor, v_sparse_floor, v_sparse_ceiling
    from braid_store.score_scale(v_sparse_normalisation, 'sparse', v_distance, v_all.worst_sparse, v_all.best_sparse,
                                 v_sparse_mean, v_sparse_deviation, null, null) s;
  end if;
  select coalesce(array_agg(o.candidate), '{}'), coalesce(bool_or(o.is_tied), false)
  into candidates, v_is_tied
  from (
    select row(c.chunk_id, t.score, case when v_has_text then c.text_score end, case when v_has_text
      then n.full_text end,
               c.text_rank, c.similarity, case when v_has_embedding then n.semantic end, c.near_rank, t.score,
               null, null, c.sparse_score, case when v_asks_sparse then n.sparse end, c.sparse_rank)
             ::braid_store.fused_candidate as candidate,
           lag(t.score) over best_first = t.score as is_tied
    from unnest(v_all.chunk_ids, v_all.text_scores, v_all.text_ranks, v_all.similarities, v_all.near_ranks,
                v_all.sparse_scores, v_all.sparse_ranks)
           c (chunk_id, text_score, text_rank, similarity, near_rank, sparse_score, sparse_rank),
         lateral (
           select least(greatest((c.text_score - v_text_scale.shift) / v_text_scale.scale, v_text_scale.floor),
                        v_text_scale.ceiling) as full_text,
                  least(greatest((coalesce(c.similarity, v_assumed) - v_near_scale.shift) / v_near_scale.scale,
                                 v_near_scale.floor), v_near_scale.ceiling) as semantic,
                  least(greatest((c.sparse_score - v_sparse_shift) / v_sparse_divisor, v_sparse_floor),
                        v_sparse_ceiling) as sparse
           offset 0
         ) n,
         lateral (
           select case v_fusion when 'max' then greatest(nullif(v_text_weight, 0::float8) * n.full_text,
                                                       nullif(v_near_weight, 0::float8) * n.semantic,
                                                       nullif(v_sparse_weight, 0::float8) * n.sparse)
                              else v_text_weight * n.full_text + v_near_weight * n.semantic
                                   + coalesce(v_sparse_weight * n.sparse, 0) end as score
           offset 0
         ) t
    window best_first as (order by t.score desc)
  ) o;
  if v_is_tied then
    candidates := braid_store.order_candidates(request.tenant_id, candidates);
  end if;

  if request.min_score is not null or request.has_deep_pages then
    v_text_min := (request.options).full_text_min_score;
    v_near_min := (request.options).semantic_min_score;
    v_sparse_min := (request.options).sparse_min_score;
    v_text_count := cardinality(leg_candidates.full_text);
    v_near_count := cardinality(leg_candidates.semantic);
    v_sparse_count := coalesce(cardinality(leg_candidates.sparse), 0);
    -- An unseen chunk scores at most as much as the last candidate of each leg, or just below the leg's minimum score.
    -- Without an embedding it gets the assumed similarity, which may be higher.
    select greatest(coalesce(max(c.full_text_normalised_score)
                               filter (where c.full_text_rank = request.candidate_count),
                             min(c.full_text_normalised_score)),
                    case when v_text_min is not null
                         then least(greatest((v_text_min - v_text_scale.shift) / v_text_scale.scale,
                           v_text_scale.floor),
                                    v_text_scale.ceiling) end),
           greatest(coalesce(max(c.semantic_normalised_score) filter (where c.semantic_rank = v_near_count
                                                                        or c.semantic_score is null),
                             min(c.semantic_normalised_score)),
                    case when v_near_min is not null
                         then least(greatest((v_near_min - v_near_scale.shift) / v_near_scale.scale,
                           v_near_scale.floor),
                                    v_near_scale.ceiling) end,
                    case when v_text_count >= request.candidate_count or v_sparse_count >= request.candidate_count
                         then least(greatest((v_assumed - v_near_scale.shift) / v_near_scale.scale, v_near_scale.floor),
                                    v_near_scale.ceiling) end),
           greatest(coalesce(max(c.sparse_normalised_score) filter (where c.sparse_rank = request.candidate_count),
                             min(c.sparse_normalised_score)),
                    case when v_sparse_min is not null
                         then least(greatest((v_sparse_min - v_sparse_shift) / v_sparse_divisor,
                                             v_sparse_floor), v_sparse_ceiling) end)
    into v_last_text, v_last_near, v_last_sparse
    from unnest(candidates) c;
    -- The last score of a leg that is not searched is null.
    unseen := case when v_fusion = 'max'
                     then greatest(nullif(v_text_weight, 0::float8) * v_last_text, nullif(v_near_weight, 0::float8)
                       * v_last_near,
                                   nullif(v_sparse_weight, 0::float8) * v_last_sparse)
                   when cardinality(candidates) > 0
                     then coalesce(v_text_weight * v_last_text, 0) + coalesce(v_near_weight * v_last_near, 0)
                          + coalesce(v_sparse_weight * v_last_sparse, 0) end;
    -- If no chunk reaches a leg's minimum score, the leg's best score, by which these normalisations scale, may belong
    -- to an unseen chunk.
    if request.has_deep_pages
       and (v_text_weight > 0 and v_text_count = 0 and v_text_min is not null
            and v_text_normalisation in ('theoretical', 'centroid')
            or v_near_weight > 0 and v_near_count = 0 and v_near_min is not null
               and v_near_normalisation in ('theoretical', 'centroid')
            or v_sparse_weight > 0 and v_sparse_count = 0 and v_sparse_min is not null
               and v_sparse_normalisation in ('theoretical', 'centroid')) then
      unseen := 'infinity';
    end if;
  end if;
  if is_reported and not (request.options).explain then
    report := jsonb_build_object('semantic', jsonb_build_object(
      'without_embedding', case when v_has_embedding then v_all.missing_count end));
  elsif is_reported then
    report := jsonb_build_object(
      'fusion', v_fusion,
      'weights', jsonb_build_object('full_text', v_text_weight, 'semantic', v_near_weight),
      'full_text', jsonb_build_object(
        'normalisation', v_text_normalisation, 'count', cardinality(candidates), 'min', v_all.worst_text,
        'max', v_all.best_text, 'mean', v_text_mean, 'deviation', v_text_deviation, 'shift', v_text_scale.shift,
        'scale', v_text_scale.scale, 'floor', v_text_scale.floor, 'ceiling', v_text_scale.ceiling),
      'semantic', jsonb_build_object(
        'normalisation', v_near_normalisation, 'count', v_all.similarity_count, 'min', v_all.worst_similarity,
        'max', v_all.best_similarity, 'mean', v_near_mean, 'deviation', v_near_deviation,
        'collection_mean', v_collection_mean, 'shift', v_near_scale.shift, 'scale', v_near_scale.scale,
        'floor', v_near_scale.floor, 'ceiling', v_near_scale.ceiling, 'assumed', v_assumed,
        'without_embedding', case when v_has_embedding then v_all.missing_count end));
    if v_asks_sparse then
      report := jsonb_set(report, '{weights,sparse}', to_jsonb(v_sparse_weight)) || jsonb_build_object(
        'sparse', jsonb_build_object(
          'normalisation', v_sparse_normalisation, 'count', cardinality(candidates), 'min', v_all.worst_sparse,
          'max', v_all.best_sparse, 'mean', v_sparse_mean, 'deviation', v_sparse_deviation, 'shift', v_sparse_shift,
          'scale', v_sparse_divisor, 'floor', v_sparse_floor, 'ceiling', v_sparse_ceiling));
    end if;
  end if;
end
$$;

comment on function braid_store.fuse_scores(braid_store.search_request, braid_store.found_candidates, boolean) is
  'Fuse the candidates of all legs by their scores into one list, best first. convex and dbsf: the score is the sum '
  'of weight × normalised score; the weights are divided by their sum. max: the score is the greatest weight × '
  'normalised score; the weights are used as they are, and a weight of 0 leaves its leg out. A chunk without an '
  'embedding gets the collection''s mean similarity, or under minmax, zscore and dbsf the candidates'' mean. report: '
  'everything needed to compute a row''s score again if the option explain is set, else how many candidates have no '
  'embedding; null unless is_reported. unseen: as in fuse_ranks, if the scales stay the same; null if the request '
  'has neither min_score nor deep pages.';
