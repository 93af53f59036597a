create or replace function braid_store.merge_sparse_due(
  tenant_id int,
  collection_id int,
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
  v_count int;
begin
  merges := 0;
  segments := 0;
  is_complete := true;
  loop
    if clock_timestamp() > deadline then
      is_complete := not braid_store.has_due_sparse_rows(merge_sparse_due.tenant_id, merge_sparse_due.collection_id);
      return;
    end if;
    v_count := braid_store.absorb_sparse_rows(merge_sparse_due.tenant_id, merge_sparse_due.collection_id, 4096);
    if v_count = 0 then
      v_segment_ids := braid_store.sparse_segments_to_merge(merge_sparse_due.tenant_id, merge_sparse_due.collection_id);
      exit when v_segment_ids is null;
      v_count := braid_store.merge_sparse_segments(merge_sparse_due.tenant_id, merge_sparse_due.collection_id, v_segment_ids);
      exit when v_count = 0;
      merges := merges + 1;
      segments := segments + v_count;
    end if;
  end loop;
end
$$;

comment on function braid_store.merge_sparse_due(int, int, timestamptz) is
  'Puts sparse rows into segments and merges these, until the deadline or until nothing is due. One step takes seconds at '
  'most.';
