create or replace function braid_store.gateway_mark()
returns void
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
$$;

comment on function braid_store.gateway_mark() is
  'Does nothing. Granted to gateways, so that whether a login may be one is asked without a query: see session_tenant_id.';
