create or replace function braid_store.release_embedding_jobs(
  chunk_ids bigint[],
  error text,
  collection text,
  embedding_model text
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.space_of_model(
    braid_store.find_collection(release_embedding_jobs.collection), release_embedding_jobs.embedding_model);
  v_count int;
begin
  with failed as materialized (
    select j.chunk_id
    from braid_store.embedding_jobs j
    where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
      and j.vector_space_id = v_collection.vector_space_id
      and j.chunk_id = any (release_embedding_jobs.chunk_ids)
    order by j.chunk_id
    for update
  )
  update braid_store.embedding_jobs j
  set last_error = left(release_embedding_jobs.error, 1000),
      claimed_until = clock_timestamp() + least(interval '1 second' * 2 ^ least(j.attempts, 12), interval '1 hour')
  from failed f
  where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
    and j.vector_space_id = v_collection.vector_space_id and j.chunk_id = f.chunk_id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function braid_store.release_embedding_jobs(bigint[], text, text, text) is
  'Does the work of braid.fail_embedding_jobs.';
