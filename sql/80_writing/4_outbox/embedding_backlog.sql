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
  'Where chunks wait for their embedding, of all tenants: how many, how many of them no worker has claimed, and the error of '
  'one that failed. For services and administrators.';
