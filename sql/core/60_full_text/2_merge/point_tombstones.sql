create or replace function braid_store.point_tombstones(
  tenant_id int,
  collection_id int,
  chunk_ids bigint[],
  segment_id bigint
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  update braid_store.tombstones t
  set segment_id = point_tombstones.segment_id
  where t.tenant_id + 0 = point_tombstones.tenant_id and t.ctid = any (array(
    select t.ctid
    from unnest(point_tombstones.chunk_ids) u (chunk_id),
         lateral (
           select t.ctid from braid_store.tombstones t
           where t.tenant_id = point_tombstones.tenant_id and t.collection_id = point_tombstones.collection_id
             and t.chunk_id = u.chunk_id
           offset 0
         ) t));
end
$$;

comment on function braid_store.point_tombstones(int, int, bigint[], bigint) is
  'Assign tombstones to the deletion that counts their chunks from now on. segment_id is the id of that deletion.';
