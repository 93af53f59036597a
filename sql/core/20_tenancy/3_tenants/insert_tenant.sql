-- role: administrator
-- tenants: all
create or replace function braid_store.insert_tenant(tenant text)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_tenant_id int;
begin
  if coalesce(octet_length(insert_tenant.tenant), 0) not between 1 and 255 then
    raise exception 'tenant must be 1 to 255 bytes, got %', coalesce(octet_length(insert_tenant.tenant)::text, 'null')
      using errcode = '22023', hint = 'Use a short stable key: an organisation id, a slug or a uuid.';
  end if;

  insert into braid_store.tenants (key) values (insert_tenant.tenant)
  on conflict (key) do nothing
  returning id into v_tenant_id;

  if v_tenant_id is null then
    select t.id into v_tenant_id from braid_store.tenants t where t.key = insert_tenant.tenant;
    return v_tenant_id;
  end if;
  perform braid_store.insert_tenant_locks(v_tenant_id), braid_store.extend_created_tenant(insert_tenant.tenant);
  if not braid_store.session_is('gateway')
        or (select r.rolsuper from pg_roles r where r.rolname = session_user) then
    -- A gateway's login serves all users, so it becomes a member of no tenant.
    insert into braid_store.tenant_members (tenant_id, member) values (v_tenant_id, session_user);
  end if;
  return v_tenant_id;
exception when lock_not_available then
  perform braid_store.raise_locked(format('the key of tenant "%s"', insert_tenant.tenant),
                                   braid_store.lock_holders('{braid_store.tenants}',
                                     '{RowShareLock,RowExclusiveLock}'));
end
$$;

comment on function braid_store.insert_tenant(text) is
  'Do the work of braid.create_tenant.';
