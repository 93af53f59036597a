create or replace function braid_store.release_embedding_jobs(chunk_ids bigint[], error text, collection text)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections := braid_store.find_collection(release_embedding_jobs.collection);
  v_count int;
begin
  update braid_store.embedding_jobs j
  set last_error = left(release_embedding_jobs.error, 1000),
      claimed_until = clock_timestamp() + least(interval '1 second' * 2 ^ least(j.attempts, 12), interval '1 hour')
  from (
    select w.chunk_id
    from braid_store.embedding_jobs w
    where w.tenant_id = v_tenant_id and w.collection_id = v_collection.id
      and w.chunk_id in (select unnest(release_embedding_jobs.chunk_ids))
    order by w.chunk_id
    for update
  ) w
  where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id and j.chunk_id = w.chunk_id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function braid_store.release_embedding_jobs(bigint[], text, text) is
  'Does the work of braid.fail_embedding_jobs.';
