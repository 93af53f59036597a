-- role: writer
create or replace function braid_calls.unclaim_embedding_jobs(
  chunk_ids bigint[],
  earliest_end timestamptz,
  latest_end timestamptz,
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
#variable_conflict use_column
declare
  c_max_chunks constant int := 10000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.space_of_model(
    braid_store.find_collection(unclaim_embedding_jobs.collection), unclaim_embedding_jobs.embedding_model);
  v_chunk_ids bigint[];
  v_count int;
begin
  if cardinality(unclaim_embedding_jobs.chunk_ids) > c_max_chunks then
    raise exception 'chunk_ids has % elements, more than %', cardinality(unclaim_embedding_jobs.chunk_ids), c_max_chunks
      using errcode = '54000', hint = 'Give jobs back in batches, such as the batches that claim_embedding_jobs '
                                      'returned.';
  end if;
  v_chunk_ids := braid_store.lock_embedding_jobs(v_tenant_id, v_collection, unclaim_embedding_jobs.chunk_ids);
  update braid_store.embedding_jobs j
  set claimed_until = null, attempts = greatest(j.attempts - 1, 0)
  where j.tenant_id + 0 = v_tenant_id and j.ctid = any (array(
    select j.ctid
    from unnest(v_chunk_ids) u (chunk_id),
         lateral (
           select j.ctid from braid_store.embedding_jobs j
           where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
             and j.vector_space_id = v_collection.vector_space_id and j.chunk_id = u.chunk_id
             and j.claimed_until between unclaim_embedding_jobs.earliest_end and unclaim_embedding_jobs.latest_end
           offset 0
         ) j));
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

comment on function braid_calls.unclaim_embedding_jobs(bigint[], timestamptz, timestamptz, text, text) is
  'Undo a claim, for a worker that stops; attempts and errors from before are kept. The claim is known by its end, '
  'between earliest_end and latest_end, because after its lease another worker may have the jobs.';
