-- role: reader, definer
-- example: braid.current_tenant_id()
-- page: guide/tenants.md
create or replace function braid.current_tenant_id()
returns int
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return braid_calls.session_tenant_id();
end
$$;

comment on function braid.current_tenant_id() is
  E'Return the id of the tenant that this session acts for; null if there is none.\n'
  'The row-level security policies compare tenant_id with it. The login decides: a member acts for its tenant, and '
  'names it by braid.tenant if it has several. A request through a gateway acts for the tenant that its verified '
  'token names.';
