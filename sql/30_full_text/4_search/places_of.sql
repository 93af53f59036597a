create or replace function braid_store.places_of(tenant_id int, segment_ids bigint[], chunk_ids bigint[])
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
    select array_position(places_of.segment_ids, sc.segment_id)::bigint << braid_store.chunk_number_bits()
           | sc.chunk_number
    from (select unnest(places_of.chunk_ids) as chunk_id) u,
         lateral (
           select sc.segment_id, sc.chunk_number from braid_store.segment_chunks sc
           where sc.tenant_id = places_of.tenant_id and sc.chunk_id = u.chunk_id
           offset 0
         ) sc);
end
$$;

comment on function braid_store.places_of(int, bigint[], bigint[]) is
  'The places of chunks in the index.';
