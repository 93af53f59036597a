-- Cross-tenant: for the owner of the tables, who alone can vacuum them.
create or replace function braid_store.move_postings(first_page bigint, last_page bigint, only_long boolean)
returns bigint
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
  -- In bytes: longer rows are stored out of line.
  c_long constant int := 1900;
  v_first tid := format('(%s,0)', move_postings.first_page)::tid;
  v_behind tid := format('(%s,0)', move_postings.last_page + 1)::tid;
  v_part record;
  v_segment_ids bigint[] := '{}';
  v_count bigint;
begin
  -- Whoever deletes postings holds the lock of their segment, or keeps maintenance out of the part. A merge would
  -- otherwise look for a row where it was before.
  for v_part in
    select p.tenant_id, p.collection_id, array_agg(distinct p.segment_id) as segment_ids
    from braid_store.postings p
    where p.ctid >= v_first and p.ctid < v_behind
    group by p.tenant_id, p.collection_id
    order by p.tenant_id, p.collection_id
  loop
    continue when not braid_store.try_lock_part(v_part.collection_id, v_part.tenant_id);
    v_segment_ids := v_segment_ids || array(
      select s.id
      from unnest(v_part.segment_ids) u (segment_id),
           lateral (
             select s.id from braid_store.segments s
             where s.tenant_id = v_part.tenant_id and s.collection_id = v_part.collection_id and s.id = u.segment_id
             for update skip locked
             offset 0
           ) s);
  end loop;
  -- An update would leave a row in its page if there is room.
  with moved as (
    delete from braid_store.postings p
    where p.ctid >= v_first and p.ctid < v_behind and p.segment_id = any (v_segment_ids)
      and (not move_postings.only_long
           or coalesce(pg_column_size(p.elements), 0) + coalesce(pg_column_size(p.blocks), 0) > c_long)
    returning p.*
  )
  insert into braid_store.postings select m.* from moved m;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function braid_store.move_postings(bigint, bigint, boolean) is
  'Writes the postings in some pages of the table anew, where a vacuum has left room, so that the next vacuum can cut off '
  'the end of the file. Those of segments that somebody is merging stay. only_long: only those that are stored out of '
  'line. Returns how many it moved.';
