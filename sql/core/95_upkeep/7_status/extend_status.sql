create or replace function braid_store.extend_status(tenant_id int, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return '{}'::jsonb;
end
$$;

comment on function braid_store.extend_status(int, int) is
  'Extension point: add exact counts of what parts store for a tenant in a collection to braid.status.';
