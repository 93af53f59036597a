create or replace function braid.claim_embedding_jobs(
  job_count int default 64,
  lease interval default '5 minutes',
  collection text default 'default'
)
returns table (chunk_id bigint, input text)
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select j.chunk_id, j.input
  from braid_store.lease_embedding_jobs(claim_embedding_jobs.job_count, claim_embedding_jobs.lease,
                                        claim_embedding_jobs.collection) j;
$$;

comment on function braid.claim_embedding_jobs(int, interval, text) is
  'Takes up to job_count chunks that wait for their embedding, with the text to embed, and keeps them from other '
  'workers for the time of the lease. Answer with store_embeddings or fail_embedding_jobs.';
