create or replace function braid_store.places_of(
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
#variable_conflict use_column
declare
  v_rest bigint[]; -- null: all
  v_listed_ids bigint[];
  v_places bigint[];
begin
  if cardinality(places_of.chunk_ids) > 100 then
    select array_agg(p.chunk_id), array_agg(p.place)
    into v_listed_ids, v_places
    from (
      select u.chunk_id, s.segment_number << braid_store.chunk_number_bits() | w.chunk_number as place
      from (
        select g.segment_number, s.chunk_ids
        from unnest(places_of.segment_ids) with ordinality g (segment_id, segment_number),
             lateral (
               -- array_cat fetches the list, once; to cut something off would copy it. To fetch the list takes as long as to
               -- look up one in a thousand of its chunks by the key.
               select array_cat(s.chunk_ids, '{}') as chunk_ids from braid_store.segments s
               where s.tenant_id = places_of.tenant_id and s.collection_id = places_of.collection_id
                 and s.id = g.segment_id and s.chunk_count / 1000 < cardinality(places_of.chunk_ids)
                 and s.chunk_ids is not null
               offset 0
             ) s
        offset 0
      ) s,
      lateral (select unnest(places_of.chunk_ids) as chunk_id offset 0) u,
      lateral (select width_bucket(u.chunk_id, s.chunk_ids) as chunk_number offset 0) w
      where s.chunk_ids[w.chunk_number] = u.chunk_id
      offset 0
    ) p;
    if cardinality(v_listed_ids) = cardinality(places_of.chunk_ids) then
      return v_places;
    elsif v_listed_ids is not null then
      v_rest := array(select unnest(places_of.chunk_ids) except select unnest(v_listed_ids));
    end if;
  end if;
  return v_places || array(
    select array_position(places_of.segment_ids, sc.segment_id)::bigint << braid_store.chunk_number_bits()
           | sc.chunk_number
    from (select unnest(coalesce(v_rest, places_of.chunk_ids)) as chunk_id) u,
         lateral (
           select sc.segment_id, sc.chunk_number from braid_store.segment_chunks sc
           where sc.tenant_id = places_of.tenant_id and sc.chunk_id = u.chunk_id
           offset 0
         ) sc);
end
$$;

comment on function braid_store.places_of(int, int, bigint[], bigint[]) is
  'The places of chunks in the index, in no order. Of many chunks, those of large segments are found in the segments'' lists '
  'of chunks, the others by the key.';
