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
#variable_conflict use_variable
declare
  c_most_looked_up constant int := 600000;
  v_floor float8 := greatest(min_score, 0);
  -- So many are scored sooner than bounded.
  v_few constant int := 300;
  v_segments record;
  v_target float8 := candidate_count * 1.25 + 10;
  -- The bounds of a prefix, which add up what its lexemes would get each, are far above its score and rule out little.
  v_most_scored int := case
    when (select max(t) < count(*) from unnest(query.term_numbers) t where t > 0)
    then greatest(4 * candidate_count, c_most_looked_up / cardinality(query.lexemes)) end;
  v_filter braid_store.filter := filter;
  v_threshold float8 := v_floor;
  v_tried bigint := 0;
  v_found int;
  v_needed float8;
  -- A filter that matches few may go first.
  v_is_choice boolean := not filter.is_empty;
  v_among bigint[];
  v_high float8 := 'infinity';
  v_gathered record;
  v_scored record;
  v_chunk_ids bigint[] := '{}';
  v_scores float8[] := '{}';
begin
  candidates := '{}';
  is_cut := false;
  postings_read := 0;
  chunks_scored := 0;
  if query.lexemes = '{}' then
    return;
  end if;
  v_segments := braid_store.segment_scales(tenant_id, collection, query.average_length);
  loop
    if cardinality(v_among) <= v_few then
      select v_among as places, array_fill('infinity'::float8, array[cardinality(v_among)]) as bounds, v_floor as low
      into v_gathered;
    else
      v_gathered := braid_store.gather_candidates(tenant_id, collection.id, query, v_segments.segment_ids,
                                                  v_segments.scales, v_segments.block_width, v_among, v_target,
                                                  v_threshold, v_high);
      postings_read := postings_read + query.posting_count;
    end if;
    v_scored := braid_store.score_candidates(tenant_id, collection, query, v_segments.segment_ids, v_gathered.places,
                                             v_gathered.bounds, v_filter, candidate_count, v_most_scored, v_chunk_ids,
                                             v_scores, v_floor);
    chunks_scored := chunks_scored + cardinality(v_scored.chunk_ids) - cardinality(v_chunk_ids);
    v_chunk_ids := v_scored.chunk_ids;
    v_scores := v_scored.scores;
    v_threshold := v_scored.threshold;
    v_tried := v_tried + coalesce(cardinality(v_gathered.places), 0);
    v_found := cardinality(v_chunk_ids);
    -- Enough scores are as high as what was not gathered can be, or there is no more.
    is_cut := coalesce(v_found >= v_most_scored, false);
    exit when v_threshold >= v_gathered.low or v_gathered.low <= v_floor or is_cut;

    -- If as many pass as of those tried.
    v_needed := 1.5 * candidate_count * v_tried / greatest(v_found, 1);
    if v_is_choice and v_needed > 5000 then
      v_is_choice := false;
      v_among := braid_store.filtered_places(tenant_id, collection.id, v_segments.segment_ids, v_filter, 10000);
      if v_among is not null then
        v_filter := braid_store.no_filter();
        v_threshold := v_floor;
        v_high := 'infinity';
        v_chunk_ids := '{}';
        v_scores := '{}';
        continue;
      end if;
    end if;
    -- More may be asked for, and the threshold be higher: of many equal bounds it is above all or none.
    v_high := least(v_high, v_gathered.low);
    v_target := greatest(least(greatest(v_needed, 4 * v_target), 32 * v_target), v_most_scored);
  end loop;
  candidates := braid_store.rank_candidates(tenant_id, v_chunk_ids, v_scores, v_threshold, candidate_count);
end
$$;

comment on function braid_store.full_text_candidates(int, braid_store.collections, braid_store.text_query,
                                                     braid_store.filter, float8, int) is
  'The chunks of the highest BM25 scores under a filter, ranks from 1, ties by external_id and chunk_index. Bounds for '
  'all chunks at once, a threshold that about enough of them reach, exact scores of those from forward rows, highest bound '
  'first, until no other can be among the best (the stopping rule of Fagin, Lotem & Naor 2003), or is_cut: with '
  'prefixes or synonyms, after 600000 lexemes looked up in forward rows. postings_read counts those of each pass over the '
  'lists.';
