-- role: writer
-- example: braid.claim_embedding_jobs(collection => 'small')
-- page: guide/embeddings.md
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
  from braid_calls.lease_embedding_jobs(claim_embedding_jobs.job_count, claim_embedding_jobs.lease,
                                        claim_embedding_jobs.collection, claim_embedding_jobs.embedding_model) j;
$$;

comment on function braid.claim_embedding_jobs(int, interval, text, text) is
  E'Claim up to job_count chunks that wait for their embedding, and return their ids with the text to embed.\n'
  'Workers call it, and answer with store_embeddings or with fail_embedding_jobs.\n'
  'job_count: how many to claim, 1 to 10000. lease: how long other workers do not get these chunks, 5 minutes by '
  'default; choose it longer than a batch takes. embedding_model: the model that the worker runs, which decides '
  'during a model change which model''s jobs it gets; null takes the searches'' model.';
