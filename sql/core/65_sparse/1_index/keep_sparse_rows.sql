create or replace function braid_store.keep_sparse_rows(
  tenant_id int,
  collection_id int,
  chunk_ids bigint[],
  previous_ids bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_kept_ids bigint[];
begin
  with kept as (
    insert into braid_store.sparse_rows (tenant_id, collection_id, chunk_id, terms, weights)
    select r.tenant_id, r.collection_id, u.chunk_id, r.terms, r.weights
    from unnest(keep_sparse_rows.chunk_ids, keep_sparse_rows.previous_ids) u (chunk_id, previous_id),
         lateral (
           select r.* from braid_store.sparse_rows r
           where r.tenant_id = keep_sparse_rows.tenant_id and r.collection_id = keep_sparse_rows.collection_id
             and r.chunk_id = u.previous_id
           offset 0
         ) r
    returning chunk_id
  )
  select coalesce(array_agg(k.chunk_id order by k.chunk_id), '{}') into v_kept_ids from kept k;
  perform braid_store.index_sparse_rows(keep_sparse_rows.tenant_id, keep_sparse_rows.collection_id, v_kept_ids);
end
$$;

comment on function braid_store.keep_sparse_rows(int, int, bigint[], bigint[]) is
  'Give each new chunk the weighted terms of its counterpart in previous_ids. The caller has locked the previous '
  'chunks and removes their terms afterwards.';
