create or replace function braid_store.merge_inline(tenant_id int, collection braid_store.collections)
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
  -- A merge of this size takes about 50 ms. Larger merges, also merges that drop deleted chunks, wait for
  -- braid.maintain().
  c_max_postings constant bigint := 40000;
  v_has_full_tier boolean;
  v_is_outweighed boolean;
  v_segment_ids bigint[];
begin
  -- After most writes nothing is due, and one statement finds that out. full_tier and outweighed_segments have the
  -- whole rules.
  select bool_or(t.segment_count >= 8 and abs(t.chunk_count) >= 64 and t.least_posting_count * 8 <= c_max_postings),
         -2 * sum(t.chunk_count) filter (where t.is_deletion)
           > sum(t.chunk_count) filter (where not t.is_deletion)
  into v_has_full_tier, v_is_outweighed
  from (
    select s.is_deletion, count(*) as segment_count, sum(s.chunk_count) as chunk_count,
           min(s.posting_count) as least_posting_count
    from braid_store.segments s
    where s.tenant_id = merge_inline.tenant_id and s.collection_id = merge_inline.collection.id
    group by s.is_deletion, floor(ln(greatest(abs(s.chunk_count), 8)) / ln(8) + 1e-9)
  ) t;

  if v_has_full_tier then
    v_segment_ids := braid_store.full_tier(merge_inline.tenant_id, merge_inline.collection.id, c_max_postings);
    if v_segment_ids is not null then
      perform braid_store.merge_segments(merge_inline.tenant_id, merge_inline.collection, v_segment_ids, 400);
      return;
    end if;
  end if;
  if v_is_outweighed then
    v_segment_ids := braid_store.outweighed_segments(merge_inline.tenant_id, merge_inline.collection.id,
                                                     c_max_postings);
    if v_segment_ids is not null then
      perform braid_store.merge_segments(merge_inline.tenant_id, merge_inline.collection, v_segment_ids, 0);
    end if;
  end if;
end
$$;

comment on function braid_store.merge_inline(int, braid_store.collections) is
  'Run one small merge after a write, if one is due: the cheapest merge of similar segments, or else one that drops '
  'deleted chunks. Larger merges wait for braid.maintain().';
