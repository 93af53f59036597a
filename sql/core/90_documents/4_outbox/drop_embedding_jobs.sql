-- role: writer
-- example: braid.drop_embedding_jobs(chunk_ids => '{1}', collection => 'small')
-- page: guide/embeddings.md
create or replace function braid.drop_embedding_jobs(
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
  select braid_calls.change_embedding_jobs(drop_embedding_jobs.chunk_ids, drop_embedding_jobs.collection,
                                           drop_embedding_jobs.embedding_model, false);
$$;

comment on function braid.drop_embedding_jobs(bigint[], text, text) is
  E'Remove jobs from the outbox: their chunks stay without an embedding, and only full text finds them.\n'
  'chunk_ids: the chunks whose jobs to remove, at most 10000; null, the default, removes all abandoned jobs. '
  'embedding_model: see claim_embedding_jobs; after a model change, semantic search does not find chunks without the '
  'new model''s embedding.\n'
  'A chunk gets a new job when its text changes. Return the number of jobs removed.';
