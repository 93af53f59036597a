create or replace function braid_store.places_of(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  among bigint[],
  out places bigint[],
  out chunk_ids bigint[]
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
  -- Segments whose chunks have consecutive ids, by their first ids.
  v_first_ids bigint[];
  v_counts int[];
  v_segment_numbers bigint[];
  v_rest bigint[] := places_of.among; -- chunks whose places are not found yet
  v_listed_places bigint[];
  v_listed_ids bigint[];
begin
  select array_agg(s.first_chunk_id order by s.first_chunk_id), array_agg(s.chunk_count order by s.first_chunk_id),
         array_agg(n.segment_number order by s.first_chunk_id)
  into v_first_ids, v_counts, v_segment_numbers
  from braid_store.segments s,
       lateral (select array_position(places_of.segment_ids, s.id)::bigint as segment_number offset 0) n
  where s.tenant_id = places_of.tenant_id and s.collection_id = places_of.collection_id
    and s.first_chunk_id is not null and n.segment_number is not null;
  if v_first_ids is not null then
    select array_agg(p.place order by p.place), array_agg(p.chunk_id order by p.place)
    into places, chunk_ids
    from (
      select u.chunk_id, v_segment_numbers[w.segment] << braid_store.chunk_number_bits()
                         | (u.chunk_id - v_first_ids[w.segment] + 1) as place
      from (select unnest(places_of.among) as chunk_id) u,
           lateral (select width_bucket(u.chunk_id, v_first_ids) as segment offset 0) w
      where u.chunk_id < v_first_ids[w.segment] + v_counts[w.segment]
      offset 0
    ) p;
    if cardinality(chunk_ids) = cardinality(places_of.among) then
      return;
    elsif chunk_ids is not null then
      v_rest := array(select unnest(v_rest) except select unnest(places_of.chunk_ids));
    end if;
  end if;
  if cardinality(v_rest) > 100 then
    select array_agg(l.place), array_agg(l.chunk_id)
    into v_listed_places, v_listed_ids
    from (
      select u.chunk_id, s.segment_number << braid_store.chunk_number_bits() | w.chunk_number as place
      from (
        select g.segment_number, s.chunk_ids
        from unnest(places_of.segment_ids) with ordinality g (segment_id, segment_number),
             lateral (
               -- array_cat detoasts the list once; a slice would copy it. Detoasting takes as long as looking up a
               -- thousandth of its chunks by key.
               select array_cat(s.chunk_ids, '{}') as chunk_ids from braid_store.segments s
               where s.tenant_id = places_of.tenant_id and s.collection_id = places_of.collection_id
                 and s.id = g.segment_id and s.chunk_count / 1000 < cardinality(v_rest)
                 and s.chunk_ids is not null
               offset 0
             ) s
        offset 0
      ) s,
      lateral (select unnest(v_rest) as chunk_id offset 0) u,
      lateral (select width_bucket(u.chunk_id, s.chunk_ids) as chunk_number offset 0) w
      where s.chunk_ids[w.chunk_number] = u.chunk_id
      offset 0
    ) l;
    if v_listed_ids is not null then
      v_rest := array(select unnest(v_rest) except select unnest(v_listed_ids));
      places := places || v_listed_places;
      chunk_ids := chunk_ids || v_listed_ids;
    end if;
  end if;
  select coalesce(array_agg(p.place order by p.place), '{}'), coalesce(array_agg(p.chunk_id order by p.place), '{}')
  into places, chunk_ids
  from (
    select l.place, l.chunk_id from unnest(places_of.places, places_of.chunk_ids) l (place, chunk_id)
    union all
    select s.segment_number << braid_store.chunk_number_bits() | s.chunk_number, u.chunk_id
    from (select unnest(v_rest) as chunk_id) u,
         lateral (
           select array_position(places_of.segment_ids, sc.segment_id)::bigint as segment_number, sc.chunk_number
           from braid_store.segment_chunks sc
           where sc.tenant_id = places_of.tenant_id and sc.chunk_id = u.chunk_id
           offset 0
         ) s
    where s.segment_number is not null
  ) p;
end
$$;

comment on function braid_store.places_of(int, int, bigint[], bigint[]) is
  'Return the places of chunks in the index, in ascending order, and an array of the chunks parallel to them. Places '
  'in segments with consecutive ids are computed. If there are many other chunks, the segments'' lists of chunks give '
  'the places in large segments. The key gives the rest.';
