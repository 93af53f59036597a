create or replace function braid_store.lock_embedding_jobs(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[]
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return array(
    select j.chunk_id
    from (select distinct u.chunk_id from unnest(lock_embedding_jobs.chunk_ids) u (chunk_id) order by 1 offset 0) u,
         lateral (
           select j.chunk_id from braid_store.embedding_jobs j
           where j.tenant_id = lock_embedding_jobs.tenant_id and j.collection_id = lock_embedding_jobs.collection.id
             and j.vector_space_id = lock_embedding_jobs.collection.vector_space_id and j.chunk_id = u.chunk_id
           for update
           offset 0
         ) j);
end
$$;

comment on function braid_store.lock_embedding_jobs(int, braid_store.collections, bigint[]) is
  'Lock the jobs of chunks in the collection''s vector space, in the order of their ids, and return the chunks that '
  'have one. The caller changes the jobs in a separate statement, which sees what others committed while the locks '
  'waited.';
