-- role: administrator
-- tenants: all
create or replace function braid_store.set_principal_member(tenant text, principal text, member text,
                                                            is_member boolean)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int;
begin
  select t.id into v_tenant_id from braid_store.tenants t where t.key = set_principal_member.tenant;
  if not found then
    raise exception 'tenant "%" does not exist', set_principal_member.tenant
      using errcode = '42704', hint = 'Create it with braid.create_tenant.';
  elsif coalesce(octet_length(set_principal_member.principal), 0) not between 1 and 255
        or set_principal_member.principal ^@ 'login:' then
    raise exception 'principal is %', coalesce(to_json(left(set_principal_member.principal, 100))::text, 'null')
      using errcode = '22023', hint = 'Give the name of a group, 1 to 255 bytes, such as group:sales.';
  elsif coalesce(octet_length(set_principal_member.member), 0) not between 1 and 255
        or set_principal_member.member = '*' then
    raise exception 'member is %', coalesce(to_json(left(set_principal_member.member, 100))::text, 'null')
      using errcode = '22023', hint = 'Give a user, a group or a login, 1 to 255 bytes: user:ana or login:reporting.';
  elsif set_principal_member.member ^@ 'login:' and octet_length(set_principal_member.member) not between 7 and 69 then
    raise exception 'member is "%", and no login has such a name', left(set_principal_member.member, 100)
      using errcode = '22023', hint = 'PostgreSQL''s names have 1 to 63 bytes: give login: and a name.';
  end if;
  if set_principal_member.is_member then
    insert into braid_store.principal_members (tenant_id, member, principal)
    values (v_tenant_id, set_principal_member.member, set_principal_member.principal)
    on conflict do nothing;
  else
    delete from braid_store.principal_members m
    where m.tenant_id = v_tenant_id and m.member = set_principal_member.member
      and m.principal = set_principal_member.principal;
  end if;
  return found;
end
$$;

comment on function braid_store.set_principal_member(text, text, text, boolean) is
  'Do the work of braid.add_principal_member (is_member true) and braid.remove_principal_member (false).';
