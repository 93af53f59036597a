-- role: writer
create or replace function braid_calls.release_embedding_jobs(
  chunk_ids bigint[],
  error text,
  most_attempts int,
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
  v_chunk_ids bigint[];
  v_count int;
begin
  if release_embedding_jobs.most_attempts < 1 then
    raise exception 'most_attempts is %', release_embedding_jobs.most_attempts
      using errcode = '22023', hint = 'Use 1 or more.';
  elsif cardinality(release_embedding_jobs.chunk_ids) > c_max_chunks then
    raise exception 'chunk_ids has % elements, more than %', cardinality(release_embedding_jobs.chunk_ids), c_max_chunks
      using errcode = '54000', hint = 'Give jobs back in batches, such as the batches that claim_embedding_jobs '
                                      'returned.';
  end if;
  v_chunk_ids := braid_store.lock_embedding_jobs(v_tenant_id, v_collection, release_embedding_jobs.chunk_ids);
  update braid_store.embedding_jobs j
  set (last_error, attempts, claimed_until) = (
        select left(release_embedding_jobs.error, 1000), a.attempts,
               case
                 when a.attempts >= release_embedding_jobs.most_attempts then 'infinity'
                 else clock_timestamp() + least(interval '1 second' * 2 ^ least(a.attempts, 12), interval '1 hour')
               end
        from (
          -- Claims before the first failure came from workers that were killed, which is not the text's fault.
          select case
                   when j.last_error is null and release_embedding_jobs.error is not null then least(j.attempts, 1)
                   else j.attempts
                 end as attempts
        ) a)
  where j.tenant_id + 0 = v_tenant_id and j.ctid = any (array(
    select j.ctid
    from unnest(v_chunk_ids) u (chunk_id),
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

comment on function braid_calls.release_embedding_jobs(bigint[], text, int, text, text) is
  'Do the work of braid.fail_embedding_jobs, which never gives up (most_attempts is null), and of '
  'braid.abandon_embedding_jobs.';
