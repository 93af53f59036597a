create or replace function braid_store.shards_lock_key(collection_id int, tenant_id int)
returns bigint
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select hashtextextended(concat_ws('/', 'pgbraid shards', shards_lock_key.collection_id, shards_lock_key.tenant_id), 0);
$$;

comment on function braid_store.shards_lock_key(int, int) is
  'The advisory lock of the session that makes vector shards of a tenant''s part of a collection. Writers, searches and '
  'clears have nothing to do with it.';
