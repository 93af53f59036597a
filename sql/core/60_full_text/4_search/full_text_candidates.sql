create or replace function braid_store.full_text_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  filter braid_store.filter,
  min_score float8,
  candidate_count int,
  unlisted_ids bigint[] default '{}',
  keys bigint[] default null,
  out candidates braid_store.candidate[],
  out is_cut boolean,
  out postings_read bigint,
  out chunks_scored int
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  -- Up to this number, scoring all places at once is faster than computing their bounds first.
  c_scored_at_once constant int := 300;
  v_segments braid_store.searched_segments;
  v_bounds braid_store.text_query := query; -- the query as the bounds are computed for it
  v_largest float8;
  v_gathered braid_store.bounded_places;
  v_min_threshold float8 := greatest(min_score, 0);
  v_scored braid_store.scored_chunks := row('{}'::bigint[], '{}'::float8[], v_min_threshold);
  v_unlisted braid_store.scored_chunks := v_scored; -- the scores of unlisted_ids
  -- Most queries are plain: they demand nothing and have no phrases.
  v_is_plain boolean := collection.id < 0
                        or cardinality(query.driver_lexemes) = 0 and cardinality(query.required_lexemes) = 0
                           and cardinality(query.conditions) = 0 and cardinality(query.phrases) = 0;
  v_among bigint[]; -- the only places that may pass the filter, if it was evaluated first
  v_among_ids bigint[]; -- the chunks at these places
  -- True if evaluating the filter first was tried.
  v_has_filtered boolean := nullif(filter.among is not null, false);
  -- The number of places to gather: more if the filter passes few chunks. Shares below 1/64 are not used, because a
  -- sample cannot estimate them.
  v_target float8 := candidate_count * 1.25 / greatest(coalesce(filter.share, 1), 1 / 64.0) + 10;
  v_high float8; -- earlier passes gathered every place with this bound or a higher one
  v_tried bigint;
  v_needed float8;
  v_max_scored int;
  v_scored_before int; -- the chunks scored before a restart
begin
  -- A prefix's bound is the sum of its lexemes' bounds, and so far above its score. A phrase's bound is the bound of
  -- one of its words. Therefore, if a term has several lexemes or a phrase, the number of chunks to score is limited:
  -- to 600,000 look-ups of lexemes in forward rows. Testing a phrase costs as much as 50 look-ups.
  if not v_is_plain
     or (query.term_numbers[cardinality(query.term_numbers)] >= cardinality(query.term_numbers)) is not true then
    if cardinality(query.lexemes) = 0 then
      candidates := '{}';
      is_cut := false;
      postings_read := 0;
      chunks_scored := 0;
      return;
    end if;
    v_max_scored := case
      when (select max(t) < count(*) from unnest(full_text_candidates.query.term_numbers) t where t > 0)
           or query.phrases <> '{}'
      then greatest(4 * candidate_count,
                    600000 / (cardinality(query.lexemes) + 50 * (select count(p) from unnest(query.phrases) p))) end;
  end if;
  if cardinality(filter.among) <= c_scored_at_once then
    -- The index is not read in this case, so the numbers of these chunks can serve as places.
    v_among := array(select n from generate_series(1::bigint, cardinality(filter.among)) n);
    v_among_ids := filter.among;
    filter.share := 1; -- The share is now relative to among.
  else
    v_segments := braid_store.segment_scales(tenant_id, collection, query.average_length);
    if collection.id < 0 or unlisted_ids <> '{}' or filter.among is not null then
      if collection.id < 0 then
        -- An impact of 2047 represents the largest weight of all segments. Demands concern the words of the text.
        v_largest := (select max(s) from unnest(v_segments.scales) s);
        v_segments.scales := array(select s / v_largest from unnest(v_segments.scales) with ordinality u (s, place)
                                   order by u.place);
        v_bounds.weights := array(select w * v_largest from unnest(query.weights) with ordinality u (w, place)
                                  order by u.place);
        v_bounds.conditions := '{}';
      end if;
      if unlisted_ids <> '{}' then
        v_among := array(select n from generate_series(1::bigint, cardinality(unlisted_ids)) n);
        v_unlisted := braid_store.score_candidates(
          tenant_id, collection, query, null,
          row(v_among, array_fill('infinity'::float8, array[cardinality(v_among)]), v_min_threshold), v_among,
          unlisted_ids, filter, candidate_count, v_min_threshold, null, v_unlisted, keys);
        v_scored := v_unlisted;
        v_among := null;
      end if;
      if filter.among is not null then
        filter.share := 1; -- The share is now relative to among.
        select p.places, p.chunk_ids into v_among, v_among_ids
        from braid_store.places_of(tenant_id, collection.id, v_segments.segment_ids, filter.among) p;
      end if;
    end if;
  end if;

  -- Each pass gathers and scores the chunks whose upper bounds are below the bounds of the earlier passes.
  loop
    if v_is_plain and v_among is null then
      v_gathered := braid_store.gather_plain(
        tenant_id, collection.id, query.lexemes, v_bounds.weights, v_segments.segment_ids, v_segments.scales,
        v_segments.block_width, v_target, v_scored.threshold, coalesce(v_high, 'infinity'));
      postings_read := coalesce(postings_read, 0) + query.posting_count;
    elsif cardinality(v_among) <= c_scored_at_once then
      v_gathered := row(v_among, array_fill('infinity'::float8, array[cardinality(v_among)]), v_min_threshold);
      postings_read := coalesce(postings_read, 0);
    else
      v_gathered := braid_store.gather_candidates(
        tenant_id, collection.id, v_bounds, v_segments.segment_ids, v_segments.scales, v_segments.block_width,
        v_among, v_target, v_scored.threshold, coalesce(v_high, 'infinity'));
      postings_read := coalesce(postings_read, 0) + query.posting_count;
    end if;
    v_scored := braid_store.score_candidates(tenant_id, collection, query, v_segments, v_gathered, v_among, v_among_ids,
                                             filter, candidate_count, v_min_threshold, v_max_scored, v_scored, keys);
    is_cut := coalesce(cardinality(v_scored.chunk_ids) >= v_max_scored, false);

    -- All places not gathered have bounds below low. They cannot matter if enough scores reach low, or if low is the
    -- minimum score requested.
    exit when v_scored.threshold >= v_gathered.low or v_gathered.low <= v_min_threshold or is_cut;

    v_tried := coalesce(v_tried, 0) + coalesce(cardinality(v_gathered.places), 0);
    -- Estimate how many places must be tried if further places match as often as the places tried so far.
    v_needed := 1.5 * candidate_count * v_tried / greatest(cardinality(array_remove(v_scored.scores, null)), 1);
    -- If more than 5,000 places are needed, the filter is evaluated first, provided that it matches at most 10,000
    -- chunks.
    if v_needed > 5000 and not filter.is_empty and v_has_filtered is null then
      v_has_filtered := true;
      select p.places, p.chunk_ids into v_among, v_among_ids
      from braid_store.filtered_places(tenant_id, collection.id, v_segments.segment_ids, filter, 10000) p;
      if v_among is not null then
        -- Start again, and consider only the chunks that pass the filter.
        filter := braid_store.no_filter();
        v_scored_before := cardinality(v_scored.chunk_ids);
        v_scored := v_unlisted;
        v_high := null;
        continue;
      end if;
    end if;
    -- low may be higher in this pass than in an earlier one. Where many bounds are equal, a threshold lies above or
    -- below all of them, and different targets give almost the same threshold.
    v_high := least(v_high, v_gathered.low);
    v_target := greatest(least(greatest(v_needed, 4 * v_target), 32 * v_target), v_max_scored);
  end loop;
  chunks_scored := coalesce(v_scored_before, 0) + cardinality(v_scored.chunk_ids);
  candidates := braid_store.rank_candidates(tenant_id, v_scored.chunk_ids, v_scored.scores, v_scored.threshold,
                                            candidate_count);
end
$$;

comment on function braid_store.full_text_candidates(int, braid_store.collections, braid_store.text_query,
                                                     braid_store.filter, float8, int, bigint[], bigint[]) is
  'Find the candidate_count best chunks by BM25 among the chunks that pass a filter, with ranks from 1; equal scores '
  'are ordered by external_id and chunk_index. The search has three steps. First, compute upper bounds of the scores '
  'of all chunks at once. Second, choose a threshold that slightly more bounds reach than needed. Third, compute '
  'exact scores of the chunks above it from their forward rows, highest bound first. Scoring stops when no other '
  'chunk can be among the best (the stopping rule of Fagin, Lotem & Naor 2003). If these chunks were too few, repeat '
  'the steps with a lower threshold. is_cut: whether the search ended early, after 600000 look-ups of lexemes (a '
  'phrase counts as 50); this happens only with prefixes or synonyms. postings_read: the number of postings read, '
  'counted again in each pass. A collection''s id negated means its sparse terms, whose weights take the place of '
  'BM25. unlisted_ids: further chunks, which no segment lists; each is scored. '
  'keys: what query_keys returns for the query, if the caller has it; else null.';
