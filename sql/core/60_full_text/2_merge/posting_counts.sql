create or replace function braid_store.posting_counts(tenant_id int, collection_id int, segment_ids bigint[])
returns bigint
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  return (
    select coalesce(sum(s.posting_count), 0)
    from braid_store.segments s
    where s.tenant_id = posting_counts.tenant_id and s.collection_id = posting_counts.collection_id
      and s.id = any (posting_counts.segment_ids));
end
$$;

comment on function braid_store.posting_counts(int, int, bigint[]) is
  'Return the number of postings that the given segments have plus the number that the given deletions subtract. The '
  'sum measures the work of merging them.';
