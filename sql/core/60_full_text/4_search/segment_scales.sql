create or replace function braid_store.segment_scales(
  tenant_id int,
  collection braid_store.collections,
  average_length float8
)
returns braid_store.searched_segments
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_collection_id int := segment_scales.collection.id;
  v_k1 float8 := segment_scales.collection.k1;
  v_collection braid_store.collections := segment_scales.collection;
  v_title_weight float8 := segment_scales.collection.title_weight;
  v_segments braid_store.searched_segments;
begin
  v_collection.b := coalesce(v_collection.b, braid_store.adaptive_b(segment_scales.average_length));
  select array_agg(s.id order by s.id),
         array_agg((1 + 1e-9)
                   * case when s.max_weight is not null then s.max_weight
                          when s.k1 = v_k1 and s.b = v_collection.b and s.title_weight = v_title_weight
                          then greatest(1, segment_scales.average_length / s.average_length)
                          -- The row is rebuilt without chunk_ids, which would be expensive to fetch.
                          else braid_store.impact_growth(
                                 row(s.tenant_id, s.collection_id, s.id, s.is_deletion, s.chunk_count, s.posting_count,
                                     s.body_length, s.title_length, s.k1, s.b, s.title_weight, s.average_length,
                                     s.created_at, null, null, null, null, null)::braid_store.segments,
                                 v_collection, segment_scales.average_length)
                     end order by s.id),
         case when max(s.chunk_count) > 2048 then braid_store.block_size() else 2048 end,
         array_agg(s.first_chunk_id order by s.id)
  into v_segments
  from braid_store.segments s
  where s.tenant_id = segment_scales.tenant_id and s.collection_id = v_collection_id and not s.is_deletion;
  return v_segments;
end
$$;

comment on function braid_store.segment_scales(int, braid_store.collections, float8) is
  'Return the segments that a search reads. For each, return the factor that makes its stored impacts upper bounds '
  'for the current parameters and average length, or its largest weight of a sparse term. '
  'block_width: how many chunk numbers of each block are read; 2048 if no segment has more chunks, else all 8192.';
