-- role: definer
-- tenants: all
create or replace function braid_store.insert_requested_tenant()
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int;
begin
  if current_setting('transaction_isolation') <> 'read committed'
     or not braid_store.session_is('gateway')
     or (select r.rolsuper or r.rolbypassrls from pg_roles r where r.rolname = session_user) then
    return; -- This transaction would not see the new tenant, or nobody has verified its claims.
  end if;
  insert into braid_store.tenants (key)
  select c.value #>> '{}'
  from braid_store.access_settings s,
       lateral (select braid_store.request_claims() #> s.claim_path as value) c
  where s.create_tenants and jsonb_typeof(c.value) = 'string' and octet_length(c.value #>> '{}') between 1 and 255
    -- A header that names another tenant creates none.
    and c.value #>> '{}' = braid_store.request_tenant_key()
  on conflict (key) do nothing
  returning id into v_tenant_id;
  if found then
    perform braid_store.insert_tenant_locks(v_tenant_id), braid_store.extend_created_tenant(t.key)
    from braid_store.tenants t
    where t.id = v_tenant_id;
  end if;
end
$$;

comment on function braid_store.insert_requested_tenant() is
  'Create the tenant that a gateway''s request names by its verified claim, if access_settings.create_tenants is '
  'true. Do nothing in any other case.';
