create or replace function braid_store.lock_key(collection_id int, tenant_id int default null)
returns bigint
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return hashtextextended(concat_ws('/', 'pgbraid', lock_key.collection_id, lock_key.tenant_id), 0);
end
$$;

comment on function braid_store.lock_key(int, int) is
  'The advisory lock of a collection, or of a tenant''s part of it. Writers hold both shared; clearing, dropping and '
  'rebuilding take one exclusively.';
