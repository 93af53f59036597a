-- role: administrator
-- tenants: all
create or replace function braid_store.set_tenant_member(tenant text, member text, is_member boolean)
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
  select t.id into v_tenant_id from braid_store.tenants t where t.key = set_tenant_member.tenant;
  if not found then
    raise exception 'tenant "%" does not exist', set_tenant_member.tenant
      using errcode = '42704', hint = 'Create it with braid.create_tenant.';
  end if;

  if set_tenant_member.is_member then
    if not exists (select from pg_roles r where r.rolname = set_tenant_member.member) then
      raise exception 'role "%" does not exist', set_tenant_member.member
        using errcode = '42704', hint = 'Create the login first: create role ... login;';
    end if;
    insert into braid_store.tenant_members (tenant_id, member) values (v_tenant_id, set_tenant_member.member)
    on conflict do nothing;
  else
    delete from braid_store.tenant_members m
    where m.tenant_id = v_tenant_id and m.member = set_tenant_member.member;
  end if;
  return found;
exception when lock_not_available then
  perform braid_store.raise_locked(
    format('the members of tenant "%s"', set_tenant_member.tenant),
    braid_store.lock_holders('{braid_store.tenant_members}', '{RowShareLock,RowExclusiveLock}'));
end
$$;

comment on function braid_store.set_tenant_member(text, text, boolean) is
  'Do the work of braid.add_tenant_member (is_member true) and braid.remove_tenant_member (false).';
