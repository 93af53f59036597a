-- role: writer
-- example: braid.retry_embedding_jobs(chunk_ids => '{1}', collection => 'small')
-- page: guide/embeddings.md
create or replace function braid.retry_embedding_jobs(
  chunk_ids bigint[] default null,
  collection text default 'default',
  embedding_model text default null
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.change_embedding_jobs(retry_embedding_jobs.chunk_ids, retry_embedding_jobs.collection,
                                           retry_embedding_jobs.embedding_model, true);
$$;

comment on function braid.retry_embedding_jobs(bigint[], text, text) is
  E'Make jobs claimable at once, as if they had never been tried.\n'
  'chunk_ids: the chunks whose jobs to retry, at most 10000, whether they are claimed, pause after a failure or were '
  'abandoned; null, the default, takes all that have failed. embedding_model: see claim_embedding_jobs.\n'
  'A worker that stops gives back its claims in this way. Return the number of jobs found.';
