create or replace function braid_store.tenant_id_for_writing()
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if braid_store.session_is_anonymous() and braid.current_tenant_id() is not null then
    raise exception 'a request without a user may read the public tenant, but may not write'
      using errcode = '42501', hint = 'Send a user''s token that has the claim of a tenant.';
  elsif braid.current_tenant_id() is null then
    perform braid_store.insert_requested_tenant();
  end if;
  return braid_store.require_tenant_id();
end
$$;

comment on function braid_store.tenant_id_for_writing() is
  'Return the tenant that this session may write for, as require_tenant_id does. Refuse requests that may only read '
  'the public tenant. Create the tenant that the request''s verified claim names, if braid.set_access allows it.';
