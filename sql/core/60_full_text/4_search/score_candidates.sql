create or replace function braid_store.score_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  segment_ids bigint[],
  gathered braid_store.bounded_places,
  among bigint[],
  among_ids bigint[],
  filter braid_store.filter,
  candidate_count int,
  min_threshold float8,
  max_scored int,
  scored braid_store.scored_chunks
)
returns braid_store.scored_chunks
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  -- The share of chunks that pass the filter comes from a sample, which cannot estimate a smaller share.
  c_min_share constant float8 := 1 / 64.0;
  v_scored braid_store.scored_chunks := score_candidates.scored;
  v_has_demands boolean := cardinality(query.conditions) > 0 or query.required_words > 1;
  v_place_count int := cardinality(gathered.places);
  v_count_before int := cardinality(scored.chunk_ids);
  -- A batch is the places from v_first to v_last. If earlier passes found some chunks but too few, matches are rare,
  -- and the first batch is larger. Without bounds, all places are one batch.
  v_first int := 1;
  v_last int := case
    when gathered.bounds[1] = 'infinity' and max_scored is null then v_place_count
    else greatest((candidate_count + candidate_count / 8 + 2) / greatest(coalesce(filter.share, 1), c_min_share),
                  case when v_count_before < candidate_count and v_count_before > 0 then v_place_count / 3 end) end;
  v_batch_ids bigint[];
begin
  -- Bounds are in descending order: once a bound is below the threshold, no later place can matter.
  while v_first <= v_place_count and gathered.bounds[v_first] >= v_scored.threshold
        and coalesce(cardinality(v_scored.chunk_ids) < max_scored, true) loop
    if v_first > 1 and cardinality(v_scored.chunk_ids) < candidate_count then
      -- Add the number of places needed if they match as often as the earlier places of this pass.
      v_last := v_last + least(
        1.2 * (candidate_count - cardinality(v_scored.chunk_ids) + 2) * v_last
          / greatest(cardinality(v_scored.chunk_ids) - v_count_before, 1),
        4 * v_last);
    elsif v_first > 1 then
      -- Add at most the number of places whose bounds reach the threshold.
      v_last := v_last + least(
        greatest(v_last, 64),
        greatest(1, (select count(*) from unnest(gathered.bounds[v_first : v_first + 2 * v_last]) b
                     where b >= v_scored.threshold)));
    end if;
    v_last := least(v_last, v_place_count);

    if score_candidates.among is null then
      v_batch_ids := braid_store.live_chunks(tenant_id, collection.id, segment_ids, gathered.places[v_first : v_last],
                                             filter);
    else
      v_batch_ids := array(select score_candidates.among_ids[width_bucket(u.place, score_candidates.among)]
                           from unnest(gathered.places[v_first : v_last]) u (place));
      if not filter.is_empty then
        v_batch_ids := braid_store.filtered_among(v_batch_ids, tenant_id, filter);
      end if;
    end if;
    if v_has_demands then
      v_batch_ids := braid_store.demanded_chunks(tenant_id, collection, v_batch_ids, query);
    end if;
    if collection.id < 0 then
      -- A chunk may have several places in the index of sparse terms, but is scored once.
      v_batch_ids := array(select unnest(v_batch_ids) except select unnest(v_scored.chunk_ids));
      v_scored.scores := v_scored.scores
                         || braid_store.exact_sparse_scores(tenant_id, -collection.id, v_batch_ids, query);
    else
      v_scored.scores := v_scored.scores || braid_store.exact_scores(tenant_id, collection, v_batch_ids, query);
    end if;
    v_scored.chunk_ids := v_scored.chunk_ids || v_batch_ids;
    v_scored.threshold := greatest(min_threshold, (
      select s from unnest(v_scored.scores) s where s is not null
      order by s desc
      offset score_candidates.candidate_count - 1 limit 1));
    v_first := v_last + 1;
  end loop;
  return v_scored;
end
$$;

comment on function braid_store.score_candidates(int, braid_store.collections, braid_store.text_query, bigint[],
                                                 braid_store.bounded_places, bigint[], bigint[], braid_store.filter,
                                                 int, float8, int, braid_store.scored_chunks) is
  'Compute the exact scores of gathered places, highest bound first, and add them to the scores of earlier passes. '
  'Only live chunks that pass the filter and meet the query''s demands get scores. Scoring ends when candidate_count '
  'scores are as high as the next bound, or when max_scored chunks have scores (null: no limit). In the result, '
  'threshold is the score at rank candidate_count, or min_threshold if that is higher. among: the only places that '
  'were gathered from, ascending; null: all. among_ids: the chunks at these places, which are live if the filter is '
  'empty.';
