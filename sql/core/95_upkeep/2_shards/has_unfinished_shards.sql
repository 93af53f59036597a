create or replace function braid_store.has_unfinished_shards()
returns boolean
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
  select exists (select from braid_store.vector_shards s where s.state <> 'serving');
$$;

comment on function braid_store.has_unfinished_shards() is
  'Tell whether a vector shard is being made, or waits to be dropped.';
