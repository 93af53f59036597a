create or replace function braid_store.live_chunks(
  tenant_id int,
  collection_id int,
  segment_ids bigint[],
  places bigint[],
  filter text
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
  v_chunk_ids bigint[];
begin
  if live_chunks.filter = 'true' then
    return array(
      select sc.chunk_id
      from (
        select u.number, live_chunks.segment_ids[u.place >> 20] as segment_id, (u.place & 1048575)::int as chunk_number
        from unnest(live_chunks.places) with ordinality u (place, number)
      ) u,
      lateral (
        select sc.chunk_id from braid_store.segment_chunks sc
        where sc.tenant_id = live_chunks.tenant_id and sc.collection_id = live_chunks.collection_id
          and sc.segment_id = u.segment_id and sc.chunk_number = u.chunk_number
        offset 0
      ) sc
      -- A tombstone appears as its chunk goes, and goes as the segment does.
      left join lateral (
        select true as is_deleted from braid_store.tombstones t
        where t.tenant_id = live_chunks.tenant_id and t.collection_id = live_chunks.collection_id
          and t.chunk_id = sc.chunk_id
        offset 0
      ) t on true
      where t.is_deleted is null
      order by u.number);
  end if;
  execute format($query$
    select array(
      select c.id
      from (
        select u.number, $3[u.place >> 20] as segment_id, (u.place & 1048575)::int as chunk_number
        from unnest($4) with ordinality u (place, number)
      ) u,
      lateral (
        select sc.chunk_id from braid_store.segment_chunks sc
        where sc.tenant_id = $1 and sc.collection_id = $2 and sc.segment_id = u.segment_id
          and sc.chunk_number = u.chunk_number
        offset 0
      ) sc,
      lateral (
        select c.id from braid_store.chunks c where c.tenant_id = $1 and c.id = sc.chunk_id and (%s) offset 0
      ) c
      order by u.number)
    $query$, live_chunks.filter)
  into v_chunk_ids
  using live_chunks.tenant_id, live_chunks.collection_id, live_chunks.segment_ids, live_chunks.places;
  return v_chunk_ids;
end
$$;

comment on function braid_store.live_chunks(int, int, bigint[], bigint[], text) is
  'The chunks at places of the index, in that order, but for those that are deleted or that the filter does not match.';
