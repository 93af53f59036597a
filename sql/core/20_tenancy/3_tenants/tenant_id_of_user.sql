create or replace function braid_store.tenant_id_of_user()
returns int
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if braid_store.session_is_anonymous() and braid.current_tenant_id() is not null then
    raise exception 'a request without a user may only search the public tenant'
      using errcode = '42501', hint = 'Send a user''s token that has the claim of a tenant.';
  end if;
  return braid_store.require_tenant_id();
end
$$;

comment on function braid_store.tenant_id_of_user() is
  'Return the tenant of this session, as require_tenant_id does. Refuse requests without a user: they may search the '
  'public tenant and read its documents, but not data about its users.';
