create or replace function braid_store.filtered_places(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  filter braid_store.filter,
  max_count int,
  out places bigint[],
  out chunk_ids bigint[]
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
  v_chunk_ids bigint[];
begin
  v_chunk_ids := braid_store.filtered_chunk_ids(filtered_places.tenant_id, abs(filtered_places.collection_id),
                                                filtered_places.filter, filtered_places.max_count);
  if cardinality(v_chunk_ids) <= filtered_places.max_count then
    select p.places, p.chunk_ids into places, chunk_ids
    from braid_store.places_of(filtered_places.tenant_id, filtered_places.collection_id, filtered_places.segment_ids,
                               v_chunk_ids) p;
  end if;
end
$$;

comment on function braid_store.filtered_places(int, int, bigint[], braid_store.filter, int) is
  'Return all chunks that pass a filter and their places in the index, as in places_of; null if more than max_count '
  'chunks pass it. The query plays no part: its demands are tested when the chunks are scored.';
