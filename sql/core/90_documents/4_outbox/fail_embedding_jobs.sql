-- role: writer
-- example: braid.fail_embedding_jobs(chunk_ids => '{1}', error => 'x', collection => 'small')
-- page: guide/embeddings.md
create or replace function braid.fail_embedding_jobs(
  chunk_ids bigint[],
  error text,
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
  select braid_calls.release_embedding_jobs(fail_embedding_jobs.chunk_ids, fail_embedding_jobs.error, null,
                                            fail_embedding_jobs.collection, fail_embedding_jobs.embedding_model);
$$;

comment on function braid.fail_embedding_jobs(bigint[], text, text, text) is
  E'Give claimed jobs back, with the reason why they failed.\n'
  'Workers can claim them again after a pause, which doubles with each attempt, up to an hour.\n'
  'chunk_ids: the chunks whose jobs to give back, at most 10000. error: the reason, which list_embedding_jobs shows. '
  'embedding_model: see claim_embedding_jobs.\n'
  'Return the number of jobs given back.';
