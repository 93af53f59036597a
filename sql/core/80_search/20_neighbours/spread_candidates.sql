create or replace function braid_store.spread_candidates(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[],
  shard braid_store.serving_shard,
  is_reported boolean,
  vectors @vector@.vector[],
  out spread braid_store.fused_candidate[],
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
declare
  -- Over the first 100 candidates, as in the paper, smoothing lowered nDCG on sets whose best chunks stand alone; over
  -- 30 it did not.
  c_smoothed constant int := 30;
  v_weight float8 := (request.collection).neighbour_weight;
  v_document_weight float8;
  v_smoothing float8 := (request.options).smoothing;
  v_count int := c_smoothed;
  v_chunk_ids bigint[];
  v_scores float8[];
  v_sums float8[];
  v_bests float8[];
  v_first int[];
  v_first_means float8[];
  v_means float8[];
begin
  if v_weight > 0 or (request.collection).document_weight > 0 then
    v_document_weight := (request.collection).document_weight;
    v_chunk_ids := array(select c.chunk_id from unnest(candidates) c);
    v_scores := array(select c.score from unnest(candidates) c);
    if v_document_weight > 0 then
      v_bests := braid_store.document_bests(request.tenant_id, v_chunk_ids, v_scores);
    end if;
    if v_weight > 0 then
      v_sums := braid_store.neighbour_sums(request.tenant_id, v_chunk_ids, v_scores);
    end if;
    v_scores := array(
      select u.score + coalesce(v_weight * u.sum, 0) + coalesce(v_document_weight * u.best, 0)
      from unnest(v_scores, v_sums, v_bests) with ordinality u (score, sum, best, place)
      order by u.place);
    -- With fewer candidates, the 10 nearest would be a large part of all candidates.
    if v_smoothing > 0 and cardinality(candidates) >= c_smoothed then
      v_first := array(
        select u.place from unnest(v_scores) with ordinality u (score, place) order by u.score desc,
          u.place limit c_smoothed);
      v_chunk_ids := array(
        select v_chunk_ids[f.place] from unnest(v_first) with ordinality f (place, number) order by f.number);
      v_first_means := braid_store.nearest_means(
        array(select v_scores[f.place] from unnest(v_first) with ordinality f (place, number) order by f.number),
        braid_store.vectors_of(request.tenant_id, request.collection, v_chunk_ids, shard));
      v_means := array(
        select f.mean
        from generate_subscripts(v_scores, 1) p (place)
        left join unnest(v_first, v_first_means) f (place, mean) on f.place = p.place
        order by p.place);
    end if;
  elsif v_smoothing > 0 and cardinality(candidates) >= c_smoothed then
    -- Candidates are sorted by score, and a mean is not below the lowest of the first scores. So later candidates stay
    -- behind these, except for equal scores and rounding.
    v_scores := array(select c.score from unnest(candidates[:c_smoothed]) c);
    v_means := braid_store.nearest_means(v_scores, coalesce(vectors[:c_smoothed], braid_store.vectors_of(
      request.tenant_id, request.collection, array(select c.chunk_id from unnest(candidates[:c_smoothed]) c), shard)));
  end if;
  if v_means is not null then
    v_scores := array(
      select case when u.mean is null then u.score else (1 - v_smoothing) * u.score + v_smoothing * u.mean end
      from unnest(v_scores, v_means) with ordinality u (score, mean, place)
      order by u.place);
  end if;
  if v_document_weight is not null then
    spread := braid_store.rescore_candidates(request.tenant_id, candidates, v_scores);
  elsif v_means is null then
    spread := candidates;
  else
    if (candidates[c_smoothed + 1]).score >= (select min(s) from unnest(v_scores) s) then
      v_count := c_smoothed + (select count(*) from unnest(candidates[c_smoothed + 1:]) c
                               where c.score >= (select min(s) from unnest(v_scores) s));
      v_scores := v_scores || array(select c.score from unnest(candidates[c_smoothed + 1 : v_count]) c);
    end if;
    spread := braid_store.rescore_candidates(request.tenant_id, candidates[:v_count], v_scores) || candidates[v_count
      + 1:];
  end if;
  if is_reported then
    report := jsonb_build_object(
      'neighbour_weight', v_weight, 'document_weight', v_document_weight, 'smoothing', v_smoothing,
      'chunks', (
        select jsonb_object_agg(u.chunk_id, jsonb_build_object(
          'neighbours', v_sums[u.ordinality], 'best_of_document', v_bests[u.ordinality],
          'nearest', v_means[u.ordinality], 'score', s.score))
        from unnest(candidates) with ordinality u
        join unnest(spread) s on s.chunk_id = u.chunk_id));
  end if;
end
$$;

comment on function braid_store.spread_candidates(braid_store.search_request, braid_store.fused_candidate[],
                                                  braid_store.serving_shard, boolean, @vector@.vector[]) is
  'Let candidates that are neighbours share their scores. First, neighbour_weight × the scores of the previous and '
  'the next chunk in its document are added to a score, and document_weight × the best score in its document. Then '
  'the best 30 are smoothed, if there are at least 30 candidates. A score becomes (1 - smoothing) × itself + '
  'smoothing × the mean of its nearest in vector space (score regularisation: Diaz 2005; Kurland & Lee 2004). '
  'Neighbours count only if they are candidates, so all of them pass the filter. report: what each score was made of, '
  'by chunk_id; null unless is_reported. shard means the same as in nearest_among. vectors: the vectors of the '
  'first 30 candidates, if the caller has them.';
