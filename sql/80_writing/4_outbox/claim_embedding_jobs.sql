create or replace function braid.claim_embedding_jobs(
  job_count int default 64,
  lease interval default '5 minutes',
  collection text default 'default',
  embedding_model text default null
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
                                        claim_embedding_jobs.collection, claim_embedding_jobs.embedding_model) j;
$$;

comment on function braid.claim_embedding_jobs(int, interval, text, text) is
  'Takes up to job_count chunks that wait for their embedding, with the text to embed, and keeps them from other '
  'workers for the time of the lease. Answer with store_embeddings or fail_embedding_jobs. embedding_model is the '
  'worker''s: during a model migration it tells which vectors are asked for; null: those that searches use.';
