create or replace function braid_store.merge_sparse_due(
  tenant_id int,
  collection_id int,
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
declare
  c_most_absorbed constant int := 4096;
  v_rate float8 := (select coalesce(r.postings_per_second, 200000) from braid_store.upkeep_rates r);
  v_index braid_store.collections;
  v_segment_ids bigint[];
  v_limit bigint;
  v_begun timestamptz;
  v_count int;
begin
  v_index.id := -merge_sparse_due.collection_id;
  merges := 0;
  segments := 0;
  is_complete := true;
  loop
    v_begun := clock_timestamp();
    if v_begun > merge_sparse_due.deadline or braid_store.keeps_waiting() then
      is_complete := not braid_store.has_due_sparse_rows(merge_sparse_due.tenant_id, merge_sparse_due.collection_id);
      return;
    end if;
    v_limit := case when merge_sparse_due.is_bounded
                    then (v_rate * (extract(epoch from merge_sparse_due.deadline - v_begun)::float8 / 2 + 0.3))::bigint
                    else 9223372036854775807 end;
    v_count := braid_store.absorb_sparse_rows(
      merge_sparse_due.tenant_id, merge_sparse_due.collection_id,
      -- Absorb at least 256 rows even beyond the time budget, because a single write may do so, too.
      least(greatest(v_limit / braid_store.waiting_sparse_length(merge_sparse_due.tenant_id,
        merge_sparse_due.collection_id), 256),
            c_most_absorbed)::int);
    continue when v_count > 0;
    v_segment_ids := braid_store.segments_to_merge(merge_sparse_due.tenant_id, v_index, v_limit);
    if v_segment_ids is null then
      -- Estimate the merge that did not fit, as in merge_due.
      v_segment_ids := braid_store.segments_to_merge(merge_sparse_due.tenant_id, v_index);
      if v_segment_ids is not null then
        is_complete := false;
        seconds_needed := ceil(2 * braid_store.posting_counts(merge_sparse_due.tenant_id, v_index.id,
                                                                v_segment_ids) / v_rate + 2);
      end if;
      return;
    end if;
    v_count := braid_store.merge_segments(merge_sparse_due.tenant_id, v_index, v_segment_ids, 0);
    exit when v_count = 0;
    merges := merges + 1;
    segments := segments + v_count;
  end loop;
end
$$;

comment on function braid_store.merge_sparse_due(int, int, timestamptz, boolean) is
  'Put sparse rows into segments and merge these, until the deadline or until nothing is due. is_bounded and '
  'seconds_needed are as in merge_due.';
