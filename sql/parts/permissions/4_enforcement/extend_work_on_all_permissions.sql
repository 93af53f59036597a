create or replace function braid_store.extend_work_on_all_permissions(tenant_id int, name text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if not braid_calls.sees_all() then
    raise exception '% works on all documents of the tenant, and this session does not read all',
                    extend_work_on_all_permissions.name
      using errcode = '42501',
            hint = 'Call it as a service or an administrator, or have an administrator put the login into *: '
                   'braid.add_principal_member.';
  end if;
end
$$;

comment on function braid_store.extend_work_on_all_permissions(int, text) is
  'Raise 42501 if the session does not read all documents of its tenant.';
