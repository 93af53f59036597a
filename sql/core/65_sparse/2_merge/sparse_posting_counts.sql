create or replace function braid_store.sparse_posting_counts(tenant_id int, collection_id int, segment_ids bigint[])
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
    from braid_store.sparse_segments s
    where s.tenant_id = sparse_posting_counts.tenant_id and s.collection_id = sparse_posting_counts.collection_id
      and s.id = any (sparse_posting_counts.segment_ids));
end
$$;

comment on function braid_store.sparse_posting_counts(int, int, bigint[]) is
  'Return the total number of postings of the given sparse segments. It measures the work of merging them.';
