-- This function works across tenants. It is for the owner of the tables, because only the owner can vacuum them.
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
  -- This limits the pages read, because some may hold nothing but dead rows.
  c_max_pages constant int := 500;
  -- A longer row has lists that are stored out of line.
  c_max_inline constant int := 2000;
  -- An update needs at least a hundredth of a page.
  c_max_updates constant int := 100;
  v_last_page bigint := (move_postings.behind::text::point)[0]::bigint;
  v_first_page bigint := greatest(move_postings.first_page, v_last_page - c_max_pages);
  v_first tid := format('(%s,0)', v_first_page)::tid;
  v_bytes bigint := pg_relation_size('braid_store.postings');
  v_places tid[];
  v_long_places tid[];
  v_pages bigint[]; -- Pages that held the long rows.
  v_segment_ids bigint[];
begin
  moved_count := 0;
  reached := v_first;
  may_go_on := false;
  -- Under REPEATABLE READ or SERIALIZABLE, the snapshot could hide from lock_postings that another session has dropped
  -- the collection.
  if current_setting('transaction_isolation') <> 'read committed' then
    return;
  end if;
  select array_agg(c.place), array_agg(c.place) filter (where c.is_long),
         coalesce(case when bool_or(c.is_left) then min(c.place) filter (where not c.is_left) end, v_first)
  into v_places, v_long_places, reached
  from (
    select p.place, p.bytes > c_max_inline as is_long,
           sum(least(p.bytes, c_max_inline)) over (order by p.place desc) - least(p.bytes, c_max_inline)
             >= move_postings.max_bytes as is_left
    from (
      select p.ctid as place,
             100 + octet_length(p.lexeme) + coalesce(pg_column_size(p.elements), 0)
             + coalesce(pg_column_size(p.blocks), 0) as bytes
      from braid_store.postings p
      where p.ctid >= v_first and p.ctid < move_postings.behind
    ) p
  ) c;
  v_places := array(select u.place from unnest(v_places) u (place) where u.place >= reached);
  v_long_places := array(select u.place from unnest(v_long_places) u (place) where u.place >= reached);
  v_segment_ids := braid_store.lock_postings(v_places);
  -- Delete and insert instead of updating, because an update would leave a row in its page if there is room.
  with moved as (
    delete from braid_store.postings p
    where p.ctid = any (array(select unnest(v_places) except select unnest(v_long_places)))
      and p.segment_id = any (v_segment_ids)
    returning p.*
  ), written as (
    insert into braid_store.postings (tenant_id, collection_id, lexeme, segment_id, document_frequency, posting_count,
                                      elements, block_weight, blocks)
    select m.tenant_id, m.collection_id, m.lexeme, m.segment_id, m.document_frequency, m.posting_count, m.elements,
           m.block_weight, m.blocks
    from moved m
    returning 1
  )
  select count(*) into moved_count from written;
  -- An update leaves values that are stored out of line alone, which are most of a long row. So update a long row until
  -- there is no room in its page.
  v_pages := array(select distinct (u.place::text::point)[0]::bigint from unnest(v_long_places) u (place));
  for v_round in 1..c_max_updates loop
    exit when v_long_places is null or v_long_places = '{}';
    with written as (
      update braid_store.postings p
      set document_frequency = p.document_frequency
      where p.ctid = any (v_long_places) and p.segment_id = any (v_segment_ids)
      returning p.ctid as place
    )
    select array_agg(w.place) filter (where (w.place::text::point)[0]::bigint = any (v_pages)),
           case when v_round = 1 then moved_count + count(*) else moved_count end
    into v_long_places, moved_count
    from written w;
  end loop;
  -- Without room elsewhere, each piece would land at the end and make the file longer.
  may_go_on := v_first_page + (reached > v_first)::int > move_postings.first_page
               and pg_relation_size('braid_store.postings') = v_bytes;
end
$$;

comment on function braid_store.move_postings(bigint, tid, bigint) is
  'Rewrite the last postings before a place in the table, into space that a vacuum has freed, so that the next '
  'vacuum can cut off the end of the file. Postings that lock_postings leaves out stay. Values of long postings that '
  'are stored out of line stay, too; rewrite_postings moves them. max_bytes: about how much to write. reached: the '
  'place to go on from, if may_go_on. may_go_on: false if first_page is reached, or if the file has become longer.';
