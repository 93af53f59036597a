create or replace function braid_store.monitor_functions()
returns setof regprocedure
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select p.oid::regprocedure
  from pg_proc p
  where p.pronamespace = 'braid_store'::regnamespace
    and p.proname = any ('{list_storage, list_tenant_storage, list_storage_growth, list_tenant_growth, list_embedding_usage,
          list_outbox, list_index_health, list_search_activity}')
  order by p.oid;
end
$$;

comment on function braid_store.monitor_functions() is
  'Lists the functions behind the views that monitors may read, as services and administrators may: figures of all tenants, '
  'and none of their texts.';
