-- role: writer
-- example: braid.rebuild_vector_index(collection => 'small')
-- page: guide/vector-index.md
create or replace function braid.rebuild_vector_index(collection text default 'default')
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.outdate_shard(rebuild_vector_index.collection);
$$;

comment on function braid.rebuild_vector_index(text) is
  E'Make maintain() build a new vector shard for the tenant''s part of a collection.\n'
  'The old shard serves searches until the new one is ready. Use it after many deletes, or to renew the index recall '
  'that braid.status shows, which was measured when the shard was made. Return false if the tenant has no shard '
  'there, because its vectors are few enough to be scanned.';
