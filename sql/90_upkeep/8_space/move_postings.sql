-- Cross-tenant: for the owner of the tables, who alone can vacuum them.
create or replace function braid_store.move_postings(
  first_page bigint,
  behind tid,
  max_bytes bigint,
  out moved_count bigint,
  out reached tid,
  out may_go_on boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_tidscan = on
set jit = off
as $$
#variable_conflict use_column
declare
  -- Pages read at most, as some may hold nothing but dead rows.
  c_max_pages constant int := 500;
  v_last_page bigint := (move_postings.behind::text::point)[0]::bigint;
  v_first_page bigint := greatest(move_postings.first_page, v_last_page - c_max_pages);
  v_first tid := format('(%s,0)', v_first_page)::tid;
  v_toast oid := (select c.reltoastrelid from pg_class c where c.oid = 'braid_store.postings'::regclass);
  v_toast_bytes bigint := pg_relation_size(v_toast);
  v_places tid[];
  v_part record;
  v_segment_ids bigint[] := '{}';
  v_came_from tid;
  v_went_to tid;
begin
  moved_count := 0;
  reached := v_first;
  may_go_on := false;
  -- Elsewhere no statement would see a drop that has finished meanwhile.
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  select array_agg(c.place), coalesce(case when bool_or(c.is_left) then min(c.place) filter (where not c.is_left) end,
                                      v_first)
  into v_places, reached
  from (
    select p.place, sum(p.bytes) over (order by p.place desc) - p.bytes >= move_postings.max_bytes as is_left
    from (
      select p.ctid as place,
             100 + octet_length(p.lexeme) + coalesce(pg_column_size(p.elements), 0)
             + coalesce(pg_column_size(p.blocks), 0) as bytes
      from braid_store.postings p
      where p.ctid >= v_first and p.ctid < move_postings.behind
    ) p
  ) c;
  v_places := array(select u.place from unnest(v_places) u (place) where u.place >= reached);
  -- Whoever deletes postings holds the lock of their segment, or keeps maintenance out of the part. A merge would
  -- otherwise look for a row where it was before.
  for v_part in
    select p.tenant_id, p.collection_id, array_agg(distinct p.segment_id) as segment_ids
    from braid_store.postings p
    where p.ctid = any (v_places)
    group by p.tenant_id, p.collection_id
    order by p.tenant_id, p.collection_id
  loop
    continue when not braid_store.try_lock_part(v_part.collection_id, v_part.tenant_id);
    -- A drop that has finished is seen, and a later one waits for the lock. The reaper takes no lock of a part.
    continue when not exists (select from braid_store.collections c where c.id = v_part.collection_id);
    v_segment_ids := v_segment_ids || array(
      select s.id
      from unnest(v_part.segment_ids) u (segment_id),
           lateral (
             select s.id from braid_store.segments s
             where s.tenant_id = v_part.tenant_id and s.collection_id = v_part.collection_id and s.id = u.segment_id
             for update skip locked
             offset 0
           ) s)
      || array(
      select s.id
      from unnest(v_part.segment_ids) u (segment_id),
           lateral (
             select s.id from braid_store.sparse_segments s
             where s.tenant_id = v_part.tenant_id and s.collection_id = v_part.collection_id and s.id = u.segment_id
             for update skip locked
             offset 0
           ) s);
  end loop;
  -- An update would leave a row in its page if there is room.
  with moved as (
    delete from braid_store.postings p
    where p.ctid = any (v_places) and p.segment_id = any (v_segment_ids)
    returning p.*, p.ctid as place
  ), written as (
    insert into braid_store.postings as w (tenant_id, collection_id, lexeme, segment_id, document_frequency,
                                           posting_count, elements, block_weight, blocks)
    select m.tenant_id, m.collection_id, m.lexeme, m.segment_id, m.document_frequency, m.posting_count, m.elements,
           m.block_weight, m.blocks
    from moved m
    returning w.ctid as place
  )
  select (select count(*) from written), (select min(m.place) from moved m), (select max(w.place) from written w)
  into moved_count, v_came_from, v_went_to;
  -- Without room in front, each piece would land behind the end and make the file larger. Long lists are written anew
  -- as well, perhaps behind the end of their file.
  may_go_on := v_first_page + (reached > v_first)::int > move_postings.first_page
               and (moved_count = 0 or v_went_to < v_came_from)
               and (pg_relation_size(v_toast) - v_toast_bytes) / 8192
                   <= v_last_page - (reached::text::point)[0]::bigint + 1;
end
$$;

comment on function braid_store.move_postings(bigint, tid, bigint) is
  'Writes the last postings in front of a place in the table anew, where a vacuum has left room, so that the next vacuum '
  'can cut off the end of the file. Those of segments that somebody is merging stay, and those of dropped collections. '
  'max_bytes: about how much to write. reached: the place to go on from, if may_go_on. That is false if first_page is '
  'reached, or if a row has not come to lie in front of those moved, or if what is stored out of line has grown by more than '
  'the pages that were emptied.';
