-- role: writer
-- example: braid.abandon_embedding_jobs(chunk_ids => '{1}', error => 'x', most_attempts => 1, collection => 'small')
-- page: guide/embeddings.md
create or replace function braid.abandon_embedding_jobs(
  chunk_ids bigint[],
  error text,
  most_attempts int default 1,
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
  select braid_calls.release_embedding_jobs(abandon_embedding_jobs.chunk_ids, abandon_embedding_jobs.error,
                                            coalesce(abandon_embedding_jobs.most_attempts, 1),
                                            abandon_embedding_jobs.collection, abandon_embedding_jobs.embedding_model);
$$;

comment on function braid.abandon_embedding_jobs(bigint[], text, int, text, text) is
  E'Give up claimed jobs, with the reason: no worker gets them any more (dead letters).\n'
  'Use it for texts that the model refuses. list_embedding_jobs shows these jobs until retry_embedding_jobs or '
  'drop_embedding_jobs is called; full text finds their chunks meanwhile.\n'
  'chunk_ids: the chunks whose jobs to give up, at most 10000. error: the reason, which list_embedding_jobs shows. '
  'most_attempts: jobs that were claimed fewer times are only given back, as by fail_embedding_jobs; 1, the default, '
  'gives up at once. embedding_model: see claim_embedding_jobs.\n'
  'Return the number of jobs found.';
