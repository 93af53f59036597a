create or replace function braid.rebuild_vector_index(collection text default 'default')
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.outdate_shard(rebuild_vector_index.collection);
$$;

comment on function braid.rebuild_vector_index(text) is
  'Has maintain() make the tenant''s vector shard of a collection anew, beside the one that serves meanwhile: after many '
  'deletes, or if its recall has sunk. False if the tenant has none, because its vectors are scanned.';
