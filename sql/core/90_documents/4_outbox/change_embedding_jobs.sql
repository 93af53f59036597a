-- role: writer
create or replace function braid_calls.change_embedding_jobs(
  chunk_ids bigint[],
  collection text,
  embedding_model text,
  is_retried boolean
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_max_chunks constant int := 10000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.space_of_model(
    braid_store.find_collection(change_embedding_jobs.collection), change_embedding_jobs.embedding_model);
  v_chunk_ids bigint[] := change_embedding_jobs.chunk_ids;
  v_places tid[];
begin
  if cardinality(v_chunk_ids) > c_max_chunks then
    raise exception 'chunk_ids has % elements, more than %', cardinality(v_chunk_ids), c_max_chunks
      using errcode = '54000',
            hint = format('Give the ids in batches, or give null for all jobs that %s.',
                          case when is_retried then 'have failed' else 'were abandoned' end);
  elsif v_chunk_ids is null then
    v_chunk_ids := array(
      select j.chunk_id from braid_store.embedding_jobs j
      where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
        and j.vector_space_id = v_collection.vector_space_id
        and case when is_retried then j.last_error is not null else j.claimed_until = 'infinity' end);
  end if;
  v_chunk_ids := braid_store.lock_embedding_jobs(v_tenant_id, v_collection, v_chunk_ids);
  v_places := array(
    select j.ctid
    from unnest(v_chunk_ids) u (chunk_id),
         lateral (
           select j.ctid, j.last_error, j.claimed_until from braid_store.embedding_jobs j
           where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
             and j.vector_space_id = v_collection.vector_space_id and j.chunk_id = u.chunk_id
           offset 0
         ) j
    -- Another session may have retried the job meanwhile.
    where change_embedding_jobs.chunk_ids is not null
       or case when is_retried then j.last_error is not null else j.claimed_until = 'infinity' end);
  if is_retried then
    update braid_store.embedding_jobs j
    set claimed_until = null, attempts = 0, last_error = null
    where j.tenant_id + 0 = v_tenant_id and j.ctid = any (v_places);
  else
    delete from braid_store.embedding_jobs j where j.tenant_id + 0 = v_tenant_id and j.ctid = any (v_places);
  end if;
  return cardinality(v_places);
end
$$;

comment on function braid_calls.change_embedding_jobs(bigint[], text, text, boolean) is
  'Do the work of braid.retry_embedding_jobs (is_retried) and of braid.drop_embedding_jobs.';
