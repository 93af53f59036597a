-- role: writer
create or replace function braid_calls.complete_embedding_jobs(
  chunk_ids bigint[],
  embeddings @vector@.vector[],
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
  v_collection braid_store.collections := braid_store.find_collection(complete_embedding_jobs.collection);
  v_count int;
begin
  if cardinality(complete_embedding_jobs.chunk_ids) > c_max_chunks then
    raise exception 'chunk_ids has % elements, more than %', cardinality(complete_embedding_jobs.chunk_ids),
      c_max_chunks
      using errcode = '54000', hint = 'Store the embeddings in batches, such as the batches that '
                                      'claim_embedding_jobs returned.';
  end if;
  if cardinality(complete_embedding_jobs.chunk_ids) is distinct from cardinality(complete_embedding_jobs.embeddings)
     or (select count(distinct u) <> count(*) from unnest(complete_embedding_jobs.chunk_ids) u) then
    raise exception 'chunk_ids has % elements, embeddings %; the counts must agree, and each chunk must come once',
                    coalesce(cardinality(complete_embedding_jobs.chunk_ids), 0),
                    coalesce(cardinality(complete_embedding_jobs.embeddings), 0)
      using errcode = '22023', hint = 'Send one embedding for each chunk id, in the same order.';
  end if;
  -- Find the vector space under the lock: a running step of a model change has ended by then, and a later one waits.
  v_collection := braid_store.space_of_model(braid_store.lock_for_writing(v_collection.id, v_tenant_id),
                                             complete_embedding_jobs.embedding_model);
  perform braid_store.check_embeddings(v_collection, complete_embedding_jobs.embeddings, 'embedding %s');
  v_count := braid_store.write_vectors(v_tenant_id, v_collection, complete_embedding_jobs.chunk_ids,
                                       complete_embedding_jobs.embeddings);
  perform braid_store.extend_changed_chunks(v_tenant_id, v_collection, complete_embedding_jobs.chunk_ids, 'vectors');
  perform braid_store.note_due(v_tenant_id, v_collection.id);
  return v_count;
end
$$;

comment on function braid_calls.complete_embedding_jobs(bigint[], @vector@.vector[], text, text) is
  'Do the work of braid.store_embeddings.';
