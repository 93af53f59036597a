create or replace function braid_store.chunks_with(
  tenant_id int,
  collection braid_store.collections,
  demands braid_store.text_query
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_segments braid_store.searched_segments;
  v_gathered braid_store.bounded_places;
begin
  v_segments := braid_store.segment_scales(chunks_with.tenant_id, chunks_with.collection, 1);
  v_gathered := braid_store.gather_candidates(
    chunks_with.tenant_id, chunks_with.collection.id, chunks_with.demands, v_segments.segment_ids, v_segments.scales,
    v_segments.block_width, null, null, -1, 'infinity');
  return braid_store.matching_chunks(
    chunks_with.tenant_id, chunks_with.collection,
    braid_store.live_chunks(chunks_with.tenant_id, chunks_with.collection.id, v_segments.segment_ids,
                            coalesce(v_gathered.places, '{}'), braid_store.no_filter()),
    chunks_with.demands);
end
$$;

comment on function braid_store.chunks_with(int, braid_store.collections, braid_store.text_query) is
  'The live chunks that meet the conditions of demands, a query made by braid_store.demands_of. They are found '
  'through the postings of its driver.';
