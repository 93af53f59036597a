create or replace function braid_store.live_chunks(
  tenant_id int,
  collection_id int,
  searched braid_store.searched_segments,
  places bigint[],
  filter braid_store.filter
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- Without sorting, the planner must use the primary key for the ordered look-ups below. On a small table, other indexes
-- that begin with the tenant seem as cheap, but each look-up would read all of the tenant's rows.
set enable_sort = off
set enable_bitmapscan = off
as $$
declare
  v_rest bigint[]; -- places not found in the segments' lists of chunks; null if all must be looked up by key
  v_listed_ids bigint[];
  v_listed_places bigint[];
  v_chunk_ids bigint[];
  v_deleted bigint[];
begin
  if not live_chunks.filter.is_empty and cardinality(live_chunks.places) > 100
     and array_position(live_chunks.searched.first_chunk_ids, null) is not null then
    select array_agg(l.chunk_id), array_agg(l.place)
    into v_listed_ids, v_listed_places
    from (
      select s.chunk_ids[(u.place & braid_store.max_chunk_number()::bigint)::int] as chunk_id, u.place
      from (
        select g.segment_number, s.chunk_ids
        from unnest(live_chunks.searched.segment_ids) with ordinality g (segment_id, segment_number),
             lateral (
               -- array_cat detoasts the list only once, as in places_of.
               select array_cat(s.chunk_ids, '{}') as chunk_ids from braid_store.segments s
               where s.tenant_id = live_chunks.tenant_id and s.collection_id = live_chunks.collection_id
                 and s.id = g.segment_id and s.chunk_count / 1000 < cardinality(live_chunks.places)
                 and s.chunk_ids is not null
               offset 0
             ) s
        offset 0
      ) s,
      lateral (select unnest(live_chunks.places) as place offset 0) u
      where u.place >> braid_store.chunk_number_bits() = s.segment_number
      offset 0
    ) l
    where l.chunk_id is not null; -- a place beyond the end of a list is looked up by key below
    if cardinality(v_listed_ids) = cardinality(live_chunks.places) then
      v_rest := '{}';
    elsif v_listed_ids is not null then
      v_rest := array(select unnest(live_chunks.places) except select unnest(v_listed_places));
    end if;
  end if;
  -- Ids that are not consecutive are looked up one by one by the whole key. For a list of keys, PostgreSQL 16 would
  -- read the whole segment, because it has no statistics.
  v_chunk_ids := v_listed_ids || array(
    select sc.chunk_id
    from (
      select u.place >> braid_store.chunk_number_bits() as segment_number,
             (u.place & braid_store.max_chunk_number()::bigint)::int as chunk_number
      from unnest(coalesce(v_rest, live_chunks.places)) u (place)
      offset 0
    ) u,
    lateral (
      select coalesce(live_chunks.searched.first_chunk_ids[u.segment_number] + u.chunk_number - 1, (
               select sc.chunk_id from braid_store.segment_chunks sc
               where sc.tenant_id = live_chunks.tenant_id and sc.collection_id = live_chunks.collection_id
                 and sc.segment_id = live_chunks.searched.segment_ids[u.segment_number]
                 and sc.chunk_number between u.chunk_number and u.chunk_number
               order by sc.chunk_number
               limit 1)) as chunk_id
      offset 0
    ) sc
    where sc.chunk_id is not null);
  if live_chunks.filter.is_empty then
    -- A tombstone exists from the delete of its chunk until no segment holds the chunk any more, and a deletion counts
    -- it for the same time. Without deletions there are no tombstones to look up.
    v_deleted := array(
      select u.chunk_id
      from unnest(v_chunk_ids) u (chunk_id),
           lateral (
             select from braid_store.tombstones t
             where t.tenant_id = live_chunks.tenant_id and t.collection_id = live_chunks.collection_id
               and t.chunk_id = u.chunk_id
             offset 0
           ) t
      where (select exists (select from braid_store.segments s
                            where s.tenant_id = live_chunks.tenant_id and s.collection_id = live_chunks.collection_id
                              and s.is_deletion)));
    if cardinality(v_deleted) = 0 then
      return v_chunk_ids;
    end if;
    return array(select unnest(v_chunk_ids) except select unnest(v_deleted));
  end if;
  return braid_store.filtered_among(v_chunk_ids, live_chunks.tenant_id, live_chunks.filter);
end
$$;

comment on function braid_store.live_chunks(int, int, braid_store.searched_segments, bigint[], braid_store.filter) is
  'Return the ids of the chunks at the given places of the index, except deleted chunks and chunks that the filter '
  'excludes.';
