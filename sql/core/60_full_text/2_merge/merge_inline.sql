create or replace function braid_store.merge_inline(tenant_id int, collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A merge of this size takes about 50 ms. Larger merges, also merges that drop deleted chunks, wait for
  -- braid.maintain().
  c_max_postings constant bigint := 40000;
  v_segment_ids bigint[] := braid_store.full_tier(merge_inline.tenant_id, merge_inline.collection.id, c_max_postings);
begin
  if v_segment_ids is not null then
    perform braid_store.merge_segments(merge_inline.tenant_id, merge_inline.collection, v_segment_ids, 400);
    return;
  end if;
  v_segment_ids := braid_store.outweighed_segments(merge_inline.tenant_id, merge_inline.collection.id, c_max_postings);
  if v_segment_ids is not null then
    perform braid_store.merge_segments(merge_inline.tenant_id, merge_inline.collection, v_segment_ids, 0);
  end if;
end
$$;

comment on function braid_store.merge_inline(int, braid_store.collections) is
  'Run one small merge after a write, if one is due: the cheapest merge of similar segments, or else one that drops '
  'deleted chunks. Larger merges wait for braid.maintain().';
