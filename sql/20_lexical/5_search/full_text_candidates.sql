create or replace function braid_store.full_text_candidates(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  filter text,
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
#variable_conflict use_variable
declare
  v_floor float8 := greatest(min_score, 0);
  v_segments record;
  v_blocks record;
  v_short record;
  v_sums @vector@.vector[];
  v_masks bit varying[];
  v_stride int;
  v_highest float8 := (select sum(w) from unnest(query.weights) w);
  v_target float8 := candidate_count * 1.25 + 10;
  v_filter text := filter;
  v_is_sampled boolean := false;
  v_passed int;
  v_only_short boolean := false;
  v_low float8;
  v_high float8 := 'infinity';
  v_gathered record;
  v_chunk_ids bigint[] := '{}';
  v_scores float8[] := '{}';
  v_threshold float8;
begin
  if query.lexemes = '{}' then
    return '{}';
  end if;
  v_segments := braid_store.segment_scales(tenant_id, collection, query.average_length);
  v_short := braid_store.read_short_lists(tenant_id, collection.id, query, v_segments.segment_ids, v_segments.scales);
  v_blocks := braid_store.block_growth(tenant_id, collection.id, query, v_segments.segment_ids, v_segments.scales);
  if v_blocks.list_count > 0 then
    v_stride := greatest(v_segments.block_count / 6, 1);
    select array_agg(s.sum), case when query.driver_lexemes <> '{}' then array_agg(s.mask) end
    into v_sums, v_masks
    from braid_store.sum_long_lists(tenant_id, collection.id, query, v_segments.segment_ids, v_segments.scales,
                                    v_blocks.growth, v_stride) s;
  else
    v_blocks.growth := null;
  end if;

  loop
    v_low := greatest(v_floor, case
      when v_blocks.growth is not null and not v_only_short
      then braid_store.choose_threshold(v_sums, v_masks, v_blocks.growth, v_highest, v_target / v_stride) end);
    v_gathered := braid_store.gather_candidates(
      tenant_id, collection.id, query, v_segments.segment_ids, v_segments.scales, v_blocks.growth, v_short.places,
      v_short.bounds, v_short.are_driven, v_only_short, v_low, v_high);

    if v_filter <> 'true' and not v_is_sampled then
      v_is_sampled := true;
      v_passed := cardinality(braid_store.live_chunks(tenant_id, collection.id, v_segments.segment_ids,
                                                      v_gathered.places[:64], v_filter));
      if v_passed < 2 and cardinality(v_gathered.places) > 64 then
        -- It lets few pass: it goes first.
        select f.places, f.bounds, f.are_driven, f.is_complete
        into v_short.places, v_short.bounds, v_short.are_driven, v_only_short
        from braid_store.filtered_places(tenant_id, collection.id, v_segments.segment_ids, v_filter, 10000,
                                         v_short.places, v_short.bounds, v_short.are_driven) f;
        v_filter := case when v_only_short then 'true' else v_filter end;
      end if;
      v_target := v_target * 80 / greatest(v_passed, 1);
      continue when cardinality(v_gathered.places) > 64;
    end if;

    select s.chunk_ids, s.scores, s.threshold into v_chunk_ids, v_scores, v_threshold
    from braid_store.score_candidates(tenant_id, collection, query, v_segments.segment_ids, v_gathered.places,
                                      v_gathered.bounds, v_filter, candidate_count, v_chunk_ids, v_scores, v_floor) s;
    -- Enough scores are as high as what was not gathered can be, or there is no more.
    exit when v_threshold >= v_low or v_low = v_floor;
    v_high := v_low;
    v_target := v_target * 8;
  end loop;
  return braid_store.rank_candidates(tenant_id, v_chunk_ids, v_scores, v_threshold, candidate_count);
end
$$;

comment on function braid_store.full_text_candidates(int, braid_store.collections, braid_store.text_query, text, float8,
                                                     int) is
  'The chunks of the highest BM25 scores under a filter, ranks from 1, ties by external_id and chunk_index. Bounds for '
  'all chunks at once, a threshold that about enough of them reach, exact scores of those from forward rows, highest bound '
  'first, until no other can be among the best (the stopping rule of Fagin, Lotem & Naor 2003).';
