create or replace function braid_store.merge_inline(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- About 50 ms of work; what is larger, deletions included, waits for braid.maintain().
  v_segment_ids bigint[] := braid_store.full_tier(merge_inline.tenant_id, merge_inline.collection.id, 40000);
begin
  if v_segment_ids is not null then
    perform braid_store.merge_segments(merge_inline.tenant_id, merge_inline.collection, v_segment_ids, 400);
  end if;
end
$$;

comment on function braid_store.merge_inline(int, braid_store.collections) is
  'After a write: the cheapest merge that is due, if it is small.';
