create or replace function braid_store.extend_status_search_log(tenant_id int, collection_id int)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return jsonb_build_object('logged_searches', (
    select count(*) from braid_store.search_log t
    where t.tenant_id = extend_status_search_log.tenant_id
      and t.collection_id = extend_status_search_log.collection_id));
end
$$;

comment on function braid_store.extend_status_search_log(int, int) is
  'Count the logged searches of a tenant in a collection.';
