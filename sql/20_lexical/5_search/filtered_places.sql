create or replace function braid_store.filtered_places(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  filter text,
  max_count int,
  inout places bigint[],
  inout bounds float8[],
  inout are_driven boolean[],
  out is_complete boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_chunk_ids bigint[];
begin
  execute format(
    'select array(select c.id from braid_store.chunks c where c.tenant_id = $1 and c.collection_id = $2 and (%s) limit $3)',
    filtered_places.filter)
  into v_chunk_ids
  using filtered_places.tenant_id, filtered_places.collection_id, filtered_places.max_count + 1;
  is_complete := cardinality(v_chunk_ids) <= filtered_places.max_count;
  if not is_complete then
    return;
  end if;

  select coalesce(array_agg(m.place), '{}'), coalesce(array_agg(coalesce(l.bound, 0)), '{}'),
         array_fill(true, array[count(*)::int])
  into places, bounds, are_driven
  from (
    select array_position(filtered_places.segment_ids, sc.segment_id)::bigint << 20 | sc.chunk_number as place
    from unnest(v_chunk_ids) u (chunk_id),
         lateral (
           select sc.segment_id, sc.chunk_number from braid_store.segment_chunks sc
           where sc.tenant_id = filtered_places.tenant_id and sc.chunk_id = u.chunk_id
           offset 0
         ) sc
  ) m
  left join unnest(filtered_places.places, filtered_places.bounds) l (place, bound) on l.place = m.place;
end
$$;

comment on function braid_store.filtered_places(int, int, bigint[], text, int, bigint[], float8[],
                                               boolean[]) is
  'The places of all chunks that a filter matches, if they are at most max_count, with the bounds that were given to '
  'them. All may match; whether they have what is demanded is seen when they are scored.';
