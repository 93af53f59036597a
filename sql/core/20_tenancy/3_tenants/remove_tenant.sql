-- role: administrator
-- tenants: all
create or replace function braid_store.remove_tenant(tenant text, confirm_tenant text)
returns boolean
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
  if remove_tenant.tenant is null or remove_tenant.confirm_tenant is distinct from remove_tenant.tenant then
    raise exception 'tenant is %, confirm_tenant is %', coalesce('"' || left(remove_tenant.tenant, 255) || '"', 'null'),
                    coalesce('"' || left(remove_tenant.confirm_tenant, 255) || '"', 'null')
      using errcode = '22023',
            hint = 'Give the tenant''s key twice, as tenant and as confirm_tenant. Deleted data cannot be restored: '
                   'export the tenant first to keep a copy.';
  end if;
  perform braid_store.require_read_committed('drop_tenant');
  -- The row comes first: if another session holds it, this call must not make writers wait behind the lock below.
  begin
    select t.id into v_tenant_id from braid_store.tenants t where t.key = remove_tenant.tenant for update;
    if not found then
      return false;
    end if;
  exception when lock_not_available then
    perform braid_store.raise_locked(format('tenant "%s"', remove_tenant.tenant),
                                     braid_store.lock_holders('{braid_store.tenants}',
                                       '{RowShareLock,RowExclusiveLock}'));
  end;

  -- Writers, merges and moves of vectors each hold the lock of their part.
  perform braid_store.lock_part(null, v_tenant_id);

  delete from braid_store.tenants t where t.id = v_tenant_id;
  insert into braid_store.dropped_tenants (id, dropped_by) values (v_tenant_id, pg_current_xact_id());
  update braid_store.vector_shards s
  set state = 'retired', retired_by = pg_current_xact_id()
  where s.tenant_id = v_tenant_id and s.state <> 'retired';
  return true;
end
$$;

comment on function braid_store.remove_tenant(text, text) is
  'Do the work of braid.drop_tenant, and take the locks that wait for the tenant''s writers.';
