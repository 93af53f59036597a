create or replace function braid_store.sparse_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  demands braid_store.text_query,
  filter braid_store.filter,
  min_score float8,
  candidate_count int
)
returns braid_store.candidate[]
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
  -- These limits are the same as in full_text_candidates, which explains them.
  c_few_chunks constant int := 300;
  c_many_places constant int := 5000;
  c_max_filtered constant int := 10000;
  c_min_share constant float8 := 1 / 64.0;
  v_segment_ids bigint[];
  v_max_weights float8[];
  v_largest float8;
  v_scales float8[];
  v_width int;
  v_query braid_store.text_query := sparse_candidates.query;
  v_demands braid_store.text_query := sparse_candidates.demands;
  v_filter braid_store.filter := sparse_candidates.filter;
  v_share float8 := greatest(coalesce(sparse_candidates.filter.share, 1), c_min_share);
  v_may_filter_first boolean := not filter.is_empty and filter.among is null;
  v_min_threshold float8 := greatest(min_score, 0);
  v_scored braid_store.scored_chunks := row('{}'::bigint[], '{}'::float8[], v_min_threshold);
  v_chunk_ids bigint[];
  v_among bigint[];
  v_gathered braid_store.bounded_places;
  v_target float8;
  v_high float8 := 'infinity';
  v_count int;
  v_first int;
  v_last int;
  v_tried bigint := 0;
  v_needed float8;
begin
  if v_query.terms = '{}' then
    return '{}';
  end if;
  -- match counts words of full text only; the other demands of the text apply to this leg, too.
  v_demands.required_words := 0;
  if filter.among is not null and cardinality(filter.among) <= c_few_chunks then
    v_scored := braid_store.score_sparse(tenant_id, collection, v_query, v_demands, v_filter, candidate_count,
                                         v_min_threshold, filter.among, v_scored);
    return braid_store.rank_candidates(tenant_id, v_scored.chunk_ids, v_scored.scores, v_scored.threshold,
      candidate_count);
  end if;

  -- Rows that are in no segment yet are read one by one.
  v_chunk_ids := array(
    select n.chunk_id from braid_store.unindexed_sparse_rows n
    where n.tenant_id = sparse_candidates.tenant_id and n.collection_id = sparse_candidates.collection.id);
  if filter.among is not null and v_chunk_ids <> '{}' then
    v_chunk_ids := array(select unnest(v_chunk_ids) intersect select unnest(filter.among));
  end if;
  if v_chunk_ids <> '{}' then
    v_scored := braid_store.score_sparse(tenant_id, collection, v_query, v_demands, v_filter, candidate_count,
                                         v_min_threshold, v_chunk_ids, v_scored);
  end if;

  select array_agg(s.id order by s.id), array_agg(s.max_weight order by s.id), max(s.max_weight),
         case when max(s.chunk_count) > 2048 then braid_store.block_size() else 2048 end
  into v_segment_ids, v_max_weights, v_largest, v_width
  from braid_store.sparse_segments s
  where s.tenant_id = sparse_candidates.tenant_id and s.collection_id = sparse_candidates.collection.id;
  if v_segment_ids is not null then
    -- An impact of 2047 represents the largest weight of all segments.
    v_scales := array(select (1 + 1e-9) * w / v_largest from unnest(v_max_weights) with ordinality m (w, place)
      order by m.place);
    v_query.weights := array(select w * v_largest from unnest(v_query.weights) with ordinality q (w, place)
      order by q.place);
    if filter.among is not null then
      v_share := 1;
      v_among := braid_store.sparse_places_of(tenant_id, collection.id, v_segment_ids, filter.among);
    end if;
    v_target := candidate_count * 1.25 / v_share + 10;
    -- As in full_text_candidates, each pass gathers and scores the chunks whose upper bounds are below the bounds of
    -- the earlier passes.
    loop
      v_gathered := braid_store.gather_candidates(tenant_id, collection.id, v_query, v_segment_ids, v_scales, v_width,
        v_among,
                                                  v_target, v_scored.threshold, v_high);
      v_count := coalesce(cardinality(v_gathered.places), 0);
      v_first := 1;
      v_last := (candidate_count + candidate_count / 8 + 2) / v_share;
      while v_first <= v_count and v_gathered.bounds[v_first] >= v_scored.threshold loop
        v_last := least(v_last, v_count);
        v_scored := braid_store.score_sparse(
          tenant_id, collection, query, v_demands, v_filter, candidate_count, v_min_threshold,
          braid_store.sparse_chunks_at(tenant_id, collection.id, v_segment_ids, v_gathered.places[v_first : v_last]),
            v_scored);
        v_first := v_last + 1;
        -- Double the number of places, but add at most the number whose bounds reach the threshold.
        v_last := v_last + greatest(1, (
          select count(*) from unnest(v_gathered.bounds[v_first : v_first + greatest(v_last, 64)]) b
          where b >= v_scored.threshold));
      end loop;
      exit when v_scored.threshold >= v_gathered.low or v_gathered.low <= v_min_threshold;

      v_tried := v_tried + v_count;
      v_needed := 1.5 * candidate_count * v_tried / greatest(cardinality(v_scored.chunk_ids), 1);
      if v_may_filter_first and v_needed > c_many_places then
        v_may_filter_first := false;
        v_chunk_ids := braid_store.filtered_chunk_ids(tenant_id, collection.id, v_filter, c_max_filtered);
        if cardinality(v_chunk_ids) <= c_max_filtered then
          -- Start again with these places alone. Earlier scores stay.
          v_among := braid_store.sparse_places_of(tenant_id, collection.id, v_segment_ids, v_chunk_ids);
          v_share := 1;
          v_high := 'infinity';
          continue;
        end if;
      end if;
      v_high := least(v_high, v_gathered.low);
      v_target := least(greatest(v_needed, 4 * v_target), 32 * v_target);
    end loop;
  end if;
  return braid_store.rank_candidates(tenant_id, v_scored.chunk_ids, v_scored.scores, v_scored.threshold,
    candidate_count);
end
$$;

comment on function braid_store.sparse_candidates(int, braid_store.collections, braid_store.text_query,
                                                  braid_store.text_query, braid_store.filter, float8, int) is
  'Find the candidate_count best chunks by the weighted terms that they share with a query, among the chunks that '
  'pass a filter and meet demands. Ranks begin at 1; equal scores are ordered by external_id and chunk_index. query: '
  'the result of compile_sparse_query. The search works as in full_text_candidates, with the same functions. It '
  'computes upper bounds of all scores at once, from the impacts. Then it computes exact scores in the order of '
  'these bounds, until no other chunk can be among the best.';
