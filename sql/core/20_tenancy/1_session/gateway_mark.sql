-- role: gateway
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
  'Do nothing. Only gateways have EXECUTE on this function, so session_tenant_id can recognise a gateway without '
  'reading a table.';
