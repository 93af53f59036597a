create or replace function braid_store.merge_due(
  tenant_id int,
  collection braid_store.collections,
  deadline timestamptz,
  out merges int,
  out segments int,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_segment_ids bigint[];
  v_merged int;
begin
  merges := 0;
  segments := 0;
  is_complete := true;
  loop
    v_segment_ids := braid_store.segments_to_merge(tenant_id, collection);
    exit when v_segment_ids is null;
    if clock_timestamp() > deadline or braid_store.keeps_waiting() then
      is_complete := false;
      exit;
    end if;
    v_merged := braid_store.merge_segments(tenant_id, collection, v_segment_ids, 9223372036854775807);
    merges := merges + least(v_merged, 1);
    segments := segments + v_merged;
    exit when v_merged < cardinality(v_segment_ids); -- another session is at the others
  end loop;
end
$$;

comment on function braid_store.merge_due(int, braid_store.collections, timestamptz) is
  'Merges the segments of a tenant''s part of a collection that are due, until the deadline.';
