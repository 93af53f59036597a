create or replace function braid_store.full_text_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  filter braid_store.filter,
  min_score float8,
  candidate_count int,
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
  -- So few places are scored sooner than they get bounds.
  c_few_places constant int := 300;
  -- Before so many places are tried, a filter that lets few chunks pass is asked which.
  c_many_places constant int := 5000;
  c_max_filtered constant int := 10000;
  -- Lexemes looked up in forward rows, where bounds rule out little.
  c_max_lookups constant int := 600000;
  v_segments braid_store.searched_segments;
  v_gathered braid_store.bounded_places;
  v_scored braid_store.scored_chunks;
  v_min_threshold float8 := greatest(min_score, 0);
  v_filter braid_store.filter := filter;
  v_may_filter_first boolean := not filter.is_empty;
  v_among bigint[]; -- the places that pass the filter, once it has gone first
  v_target float8 := candidate_count * 1.25 + 10; -- places to gather
  v_high float8 := 'infinity'; -- the passes before gathered what has this bound or a higher one
  v_tried bigint := 0;
  v_needed float8;
  -- The bounds of a prefix, which add up what its lexemes would get each, are far above its score: several lexemes of
  -- one term limit how many chunks are scored.
  v_max_scored int := case
    when (select max(t) < count(*) from unnest(full_text_candidates.query.term_numbers) t where t > 0)
    then greatest(4 * candidate_count, c_max_lookups / cardinality(query.lexemes)) end;
begin
  candidates := '{}';
  is_cut := false;
  postings_read := 0;
  chunks_scored := 0;
  if query.lexemes = '{}' then
    return;
  end if;
  v_segments := braid_store.segment_scales(tenant_id, collection, query.average_length);
  v_scored := row('{}'::bigint[], '{}'::float8[], v_min_threshold);

  -- Each pass gathers what has lower bounds than all before it, and scores that.
  loop
    if cardinality(v_among) <= c_few_places then
      v_gathered := row(v_among, array_fill('infinity'::float8, array[cardinality(v_among)]), v_min_threshold);
    else
      v_gathered := braid_store.gather_candidates(
        tenant_id, collection.id, query, v_segments.segment_ids, v_segments.scales, v_segments.block_width, v_among,
        v_target, v_scored.threshold, v_high);
      postings_read := postings_read + query.posting_count;
    end if;
    chunks_scored := chunks_scored - cardinality(v_scored.chunk_ids);
    v_scored := braid_store.score_candidates(tenant_id, collection, query, v_segments.segment_ids, v_gathered, v_filter,
                                             candidate_count, v_min_threshold, v_max_scored, v_scored);
    chunks_scored := chunks_scored + cardinality(v_scored.chunk_ids);
    is_cut := coalesce(cardinality(v_scored.chunk_ids) >= v_max_scored, false);

    -- Nothing left out has a bound of low or more: enough scores are that high, or nothing left out can be found.
    exit when v_scored.threshold >= v_gathered.low or v_gathered.low <= v_min_threshold or is_cut;

    v_tried := v_tried + coalesce(cardinality(v_gathered.places), 0);
    -- If as many of those that follow are found as of those tried.
    v_needed := 1.5 * candidate_count * v_tried / greatest(cardinality(v_scored.chunk_ids), 1);
    if v_may_filter_first and v_needed > c_many_places then
      v_may_filter_first := false;
      v_among := braid_store.filtered_places(tenant_id, collection.id, v_segments.segment_ids, v_filter, c_max_filtered);
      if v_among is not null then
        -- Begin again, among these alone.
        v_filter := braid_store.no_filter();
        v_scored := row('{}'::bigint[], '{}'::float8[], v_min_threshold);
        v_high := 'infinity';
        continue;
      end if;
    end if;
    -- The threshold may have been above low: of many equal bounds it is above all or none.
    v_high := least(v_high, v_gathered.low);
    v_target := greatest(least(greatest(v_needed, 4 * v_target), 32 * v_target), v_max_scored);
  end loop;
  candidates := braid_store.rank_candidates(tenant_id, v_scored.chunk_ids, v_scored.scores, v_scored.threshold,
                                            candidate_count);
end
$$;

comment on function braid_store.full_text_candidates(int, braid_store.collections, braid_store.text_query,
                                                     braid_store.filter, float8, int) is
  'The chunks of the highest BM25 scores under a filter, ranks from 1, ties by external_id and chunk_index. In three steps: '
  'upper bounds of the scores of all chunks at once; a threshold that about enough bounds reach; exact scores of those '
  'chunks from their forward rows, highest bound first, until no other can be among the best (the stopping rule of Fagin, '
  'Lotem & Naor 2003). If they were not enough, again with a lower threshold. is_cut: with prefixes or synonyms it ended '
  'after 600000 look-ups of lexemes. postings_read counts the postings of each pass.';
