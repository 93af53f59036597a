create or replace function braid_store.lock_query_set(tenant_id int, query_set text)
returns braid_store.query_sets
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  perform from braid_store.query_sets s
  where s.tenant_id = lock_query_set.tenant_id and s.name = lock_query_set.query_set
  for share;
  return braid_store.find_query_set(lock_query_set.tenant_id, lock_query_set.query_set);
end
$$;

comment on function braid_store.lock_query_set(int, text) is
  'Return the tenant''s query set of this name, and keep it from being dropped until the transaction ends.';
