-- role: service
-- standby: no
-- example: braid.embedding_backlog()
-- page: guide/embeddings.md
create or replace function braid.embedding_backlog()
returns table (
  tenant text,
  collection text,
  embedding_model text,
  dimensions int,
  waiting_count bigint,
  claimable_count bigint,
  last_error text
)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select b.*
  from braid_store.count_embedding_jobs() b;
$$;

comment on function braid.embedding_backlog() is
  E'Show where chunks of any tenant wait for their embedding: one row for each tenant, collection and model.\n'
  'waiting_count: all chunks that wait. claimable_count: the chunks that a worker can claim now; the others are '
  'claimed, pause after a failure, or were abandoned. last_error: the message of one job that failed, or null.\n'
  'Services and administrators may call it.';
