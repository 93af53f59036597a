create or replace function braid_store.extend_removed_chunks_reranking(
  tenant_id int,
  collection_id int,
  chunk_ids bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  -- Look up rows one by one by the whole key, as in remove_chunks.
  delete from braid_store.token_vectors t
  where t.tenant_id + 0 = extend_removed_chunks_reranking.tenant_id and t.ctid = any (array(
    select t.ctid
    from unnest(extend_removed_chunks_reranking.chunk_ids) u (chunk_id),
         lateral (
           select t.ctid from braid_store.token_vectors t
           where t.tenant_id = extend_removed_chunks_reranking.tenant_id
             and t.collection_id = extend_removed_chunks_reranking.collection_id and t.chunk_id = u.chunk_id
           offset 0
         ) t));
end
$$;

comment on function braid_store.extend_removed_chunks_reranking(int, int, bigint[]) is
  'Delete the token vectors of chunks that are being deleted.';
