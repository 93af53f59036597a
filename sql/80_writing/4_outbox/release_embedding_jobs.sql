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
  c_max_chunks constant int := 10000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.space_of_model(
    braid_store.find_collection(release_embedding_jobs.collection), release_embedding_jobs.embedding_model);
  v_count int;
begin
  if cardinality(release_embedding_jobs.chunk_ids) > c_max_chunks then
    raise exception 'chunk_ids has % elements, more than %', cardinality(release_embedding_jobs.chunk_ids), c_max_chunks
      using errcode = '54000', hint = 'Give them back in batches, such as those that claim_embedding_jobs gave.';
  end if;
  perform
  from (select distinct u.chunk_id from unnest(release_embedding_jobs.chunk_ids) u (chunk_id) order by 1 offset 0) u,
       lateral (
         select from braid_store.embedding_jobs j
         where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
           and j.vector_space_id = v_collection.vector_space_id and j.chunk_id = u.chunk_id
         for update
         offset 0
       ) j;
  -- In a statement of its own, which sees what the others committed while those locks waited.
  update braid_store.embedding_jobs j
  set last_error = left(release_embedding_jobs.error, 1000),
      claimed_until = clock_timestamp() + least(interval '1 second' * 2 ^ least(j.attempts, 12), interval '1 hour')
  where j.ctid = any (array(
    select j.ctid
    from unnest(release_embedding_jobs.chunk_ids) u (chunk_id),
         lateral (
           select j.ctid from braid_store.embedding_jobs j
           where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
             and j.vector_space_id = v_collection.vector_space_id and j.chunk_id = u.chunk_id
           offset 0
         ) j));
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function braid_store.release_embedding_jobs(bigint[], text, text, text) is
  'Does the work of braid.fail_embedding_jobs.';
