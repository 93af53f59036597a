create or replace function braid_store.monitor_views()
returns setof regclass
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select c.oid::regclass
  from pg_class c
  where c.relnamespace = 'braid'::regnamespace and c.relkind = 'v'
    and c.relname = any ('{storage, tenant_storage, storage_growth, tenant_growth, embedding_costs, outbox, index_health, search_activity}')
  order by c.oid;
end
$$;

comment on function braid_store.monitor_views() is
  'Lists the views that monitors, services and administrators may read. They show all tenants.';
