-- role: writer
-- standby: no
-- example: braid.list_embedding_jobs(collection => 'small')
-- page: guide/embeddings.md
create or replace function braid.list_embedding_jobs(
  with_state text default null,
  match_count int default 100,
  after_chunk_id bigint default 0,
  collection text default 'default',
  embedding_model text default null
)
returns table (
  chunk_id bigint,
  external_id text,
  chunk_index int,
  state text,
  attempts int,
  last_error text,
  available_at timestamptz
)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select j.*
  from braid_calls.page_embedding_jobs(list_embedding_jobs.with_state, list_embedding_jobs.match_count,
                                       list_embedding_jobs.after_chunk_id, list_embedding_jobs.collection,
                                       list_embedding_jobs.embedding_model) j;
$$;

comment on function braid.list_embedding_jobs(text, int, bigint, text, text) is
  E'List chunks of a collection that wait for their embedding, in the order of their ids.\n'
  'with_state: the state to list; null, the default, lists all. match_count: how many rows a page has, 1 to 10000. '
  'after_chunk_id: the last chunk_id of the page before; 0 begins. embedding_model: see claim_embedding_jobs. state: '
  'waiting (a worker can claim it), claimed, paused (it failed before, and pauses or is claimed again), or abandoned '
  '(no worker gets it: see abandon_embedding_jobs). attempts: how often workers have claimed it; claims before the '
  'first failure count as one then. last_error: why it failed. available_at: when a worker can claim it; null means '
  'now, and infinity never.\n'
  'Workers and their administrators use it.';
