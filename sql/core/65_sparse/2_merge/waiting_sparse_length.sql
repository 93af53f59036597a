create or replace function braid_store.waiting_sparse_length(tenant_id int, collection_id int)
returns int
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
    select coalesce(ceil(avg(cardinality(r.weights))), 1)
    from (
      select n.chunk_id from braid_store.unindexed_sparse_rows n
      where n.tenant_id = waiting_sparse_length.tenant_id and n.collection_id = waiting_sparse_length.collection_id
      order by n.id
      limit 64
    ) n,
    lateral (
      select r.weights from braid_store.sparse_rows r
      where r.tenant_id = waiting_sparse_length.tenant_id and r.collection_id = waiting_sparse_length.collection_id
        and r.chunk_id = n.chunk_id
      offset 0
    ) r);
end
$$;

comment on function braid_store.waiting_sparse_length(int, int) is
  'Return the average number of terms of the sparse rows that wait for a segment, estimated from the first 64 of them.';
