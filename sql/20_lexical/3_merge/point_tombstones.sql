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
as $$
#variable_conflict use_column
declare
  v_chunk_id bigint;
begin
  foreach v_chunk_id in array point_tombstones.chunk_ids loop
    update braid_store.tombstones t
    set segment_id = point_tombstones.segment_id
    where t.tenant_id = point_tombstones.tenant_id and t.collection_id = point_tombstones.collection_id
      and t.chunk_id = v_chunk_id;
  end loop;
end
$$;

comment on function braid_store.point_tombstones(int, int, bigint[], bigint) is
  'Assigns the tombstones of deleted chunks to the deletion that now counts them.';
