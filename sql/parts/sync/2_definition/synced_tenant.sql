-- role: service
create or replace function braid_store.synced_tenant(fields jsonb)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(braid_store.synced_value(synced_tenant.fields -> 'tenant_column' ->> 0), 'null::text');
$$;

comment on function braid_store.synced_tenant(jsonb) is
  'Return SQL for the tenant that a row t of a synced table names; null if all rows have one tenant.';
