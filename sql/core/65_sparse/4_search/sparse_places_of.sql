create or replace function braid_store.sparse_places_of(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  chunk_ids bigint[]
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
begin
  return array(
    select s.segment_number << braid_store.chunk_number_bits() | s.chunk_number
    from (select unnest(sparse_places_of.chunk_ids) as chunk_id) u,
         lateral (
           select array_position(sparse_places_of.segment_ids, sc.segment_id)::bigint as segment_number, sc.chunk_number
           from braid_store.sparse_segment_chunks sc
           where sc.tenant_id = sparse_places_of.tenant_id and sc.chunk_id = u.chunk_id
             and sc.collection_id = sparse_places_of.collection_id
           offset 0
         ) s
    where s.segment_number is not null);
end
$$;

comment on function braid_store.sparse_places_of(int, int, bigint[], bigint[]) is
  'Return the places of chunks in the index of sparse terms. A chunk may have several places.';
