create or replace function braid_store.merge_due(
  tenant_id int,
  collection braid_store.collections,
  deadline timestamptz,
  is_bounded boolean,
  out merges int,
  out segments int,
  out is_complete boolean,
  out seconds_needed int
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  -- A rate measured on fewer postings says little.
  c_measured constant bigint := 50000;
  -- The next merge may be slower than the last one.
  c_margin constant float8 := 1.25;
  v_rate float8 := (select coalesce(r.postings_per_second, 200000) from braid_store.upkeep_rates r);
  v_segment_ids bigint[];
  v_due_ids bigint[];
  v_posting_count bigint;
  v_limit bigint;
  v_begun timestamptz;
  v_merged int;
begin
  merges := 0;
  segments := 0;
  is_complete := true;
  loop
    v_begun := clock_timestamp();
    v_segment_ids := braid_store.segments_to_merge(merge_due.tenant_id, merge_due.collection);
    exit when v_segment_ids is null;
    if v_begun > merge_due.deadline or braid_store.keeps_waiting() then
      is_complete := false;
      exit;
    end if;
    v_posting_count := braid_store.posting_counts(merge_due.tenant_id, merge_due.collection.id, v_segment_ids);
    -- A merge cannot be interrupted. If it may take longer than the time left, only a part of it is begun, or nothing.
    v_limit := v_rate * (extract(epoch from merge_due.deadline - v_begun)::float8 / c_margin + 0.3);
    if merge_due.is_bounded and v_posting_count > v_limit then
      v_due_ids := v_segment_ids;
      v_segment_ids := braid_store.segments_to_merge(merge_due.tenant_id, merge_due.collection, v_limit);
      if v_segment_ids is null then
        is_complete := false;
        -- Estimate the smallest merge that makes progress: eight segments of a full tier, not all of them.
        v_posting_count := (
          select sum(n.posting_count)
          from (
            select braid_store.posting_counts(merge_due.tenant_id, merge_due.collection.id,
              array[u.segment_id]) as posting_count
            from unnest(v_due_ids) u (segment_id)
            order by 1
            limit 8
          ) n);
        seconds_needed := ceil(c_margin * v_posting_count / v_rate + 2);
        exit;
      end if;
      v_posting_count := braid_store.posting_counts(merge_due.tenant_id, merge_due.collection.id, v_segment_ids);
    end if;
    perform braid_store.leave_postings(v_segment_ids);
    v_merged := braid_store.merge_segments(merge_due.tenant_id, merge_due.collection, v_segment_ids,
      9223372036854775807);
    merges := merges + least(v_merged, 1);
    segments := segments + v_merged;
    exit when v_merged < cardinality(v_segment_ids); -- Another session merges the others.
    -- Postings of sparse terms are merged several times faster.
    if v_posting_count >= c_measured and merge_due.collection.id > 0 then
      perform braid_store.note_rate(
        postings_per_second => v_posting_count / extract(epoch from clock_timestamp() - v_begun)::float8);
    end if;
  end loop;
end
$$;

comment on function braid_store.merge_due(int, braid_store.collections, timestamptz, boolean) is
  'Merge the segments that are due in a tenant''s part of a collection, until the deadline. is_bounded: whether '
  'there is a budget of time. seconds_needed: how long a merge would take that did not fit into the budget.';
