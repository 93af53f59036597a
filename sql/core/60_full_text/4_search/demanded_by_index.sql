create or replace function braid_store.demanded_by_index(
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
  v_segments := braid_store.segment_scales(demanded_by_index.tenant_id, demanded_by_index.collection, 1);
  v_gathered := braid_store.gather_candidates(
    demanded_by_index.tenant_id, demanded_by_index.collection.id, demanded_by_index.demands, v_segments.segment_ids,
      v_segments.scales,
    v_segments.block_width, null, null, -1, 'infinity');
  return braid_store.demanded_chunks(
    demanded_by_index.tenant_id, demanded_by_index.collection,
    braid_store.live_chunks(demanded_by_index.tenant_id, demanded_by_index.collection.id, v_segments,
                            coalesce(v_gathered.places, '{}'), braid_store.no_filter()),
    demanded_by_index.demands);
end
$$;

comment on function braid_store.demanded_by_index(int, braid_store.collections, braid_store.text_query) is
  'Return the live chunks that meet the conditions of demands, a query made by braid_store.demands_of. The postings '
  'of its driver lead to the chunks.';
