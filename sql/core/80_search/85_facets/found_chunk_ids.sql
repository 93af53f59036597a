create or replace function braid_store.found_chunk_ids(
  tenant_id int,
  collection braid_store.collections,
  query braid_store.text_query,
  filter braid_store.filter,
  min_score float8
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  c_max_filtered constant int := 10000;
  v_has_demands boolean := query.conditions <> '{}' or query.required_words > 1;
  -- If false, every chunk with a lexeme has a score above 0, so no score has to be computed. With phrases it is true,
  -- because a chunk with the lexemes of a phrase may not have the phrase.
  v_is_scored boolean := v_has_demands or collection.title_weight = 0 or min_score > 0 or query.phrases <> '{}';
  v_chunk_ids bigint[];
  v_scores float8[];
  v_segments braid_store.searched_segments;
  v_gathered braid_store.bounded_places;
begin
  if query.lexemes = '{}' then
    return '{}';
  end if;
  if filter.source is not null then
    v_chunk_ids := braid_store.filtered_chunk_ids(tenant_id, collection.id, filter, c_max_filtered);
    v_is_scored := v_is_scored or cardinality(v_chunk_ids) <= c_max_filtered;
  end if;
  if filter.source is null or cardinality(v_chunk_ids) > c_max_filtered then
    v_segments := braid_store.segment_scales(tenant_id, collection, query.average_length);
    v_gathered := braid_store.gather_candidates(
      tenant_id, collection.id, query, v_segments.segment_ids, v_segments.scales, v_segments.block_width, null, null, 0,
      'infinity');
    v_chunk_ids := braid_store.live_chunks(tenant_id, collection.id, v_segments, coalesce(v_gathered.places, '{}'),
                                           filter);
  end if;

  if v_has_demands then
    v_chunk_ids := braid_store.demanded_chunks(tenant_id, collection, v_chunk_ids, query);
  end if;
  if v_is_scored then
    v_scores := braid_store.exact_scores(tenant_id, collection, v_chunk_ids, query);
    v_chunk_ids := array(select s.chunk_id from unnest(v_chunk_ids, v_scores) s (chunk_id, score)
                         where s.score > 0 and s.score >= coalesce(min_score, 0));
  end if;
  return v_chunk_ids;
end
$$;

comment on function braid_store.found_chunk_ids(int, braid_store.collections, braid_store.text_query,
                                                braid_store.filter, float8) is
  'Return all chunks that a full-text search finds under a filter, in no order. These are the chunks that '
  'braid_store.full_text_candidates would rank if it had no limit.';
