-- role: administrator
-- tenants: all
create or replace function braid_store.set_trusted_role(role text, kind text, is_trusted boolean)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_is_changed boolean;
  v_function regprocedure;
begin
  if set_trusted_role.kind is null or set_trusted_role.kind not in ('gateway', 'service', 'administrator', 'monitor')
    then
    raise exception 'kind is %', coalesce('"' || left(set_trusted_role.kind, 255) || '"', 'null')
      using errcode = '22023', hint = 'Use gateway, service, administrator or monitor.';
  elsif set_trusted_role.role in ('braid_reader', 'braid_writer')
        or set_trusted_role.role ~ '^braid_(owner|definer)_' then
    raise exception 'role "%" is pgbraid''s own', set_trusted_role.role
      using errcode = '22023', hint = 'Name a login or a group role of your own.';
  elsif set_trusted_role.is_trusted
        and not exists (select from pg_roles r where r.rolname = set_trusted_role.role) then
    raise exception 'role "%" does not exist', set_trusted_role.role
      using errcode = '42704', hint = 'Create it first: create role ...;';
  end if;

  if set_trusted_role.is_trusted then
    insert into braid_store.trusted_roles (kind, role) values (set_trusted_role.kind, set_trusted_role.role)
    on conflict do nothing;
  else
    delete from braid_store.trusted_roles t
    where t.kind = set_trusted_role.kind and t.role = set_trusted_role.role;
  end if;
  v_is_changed := found;
  perform braid_store.grant_to_trusted_role(set_trusted_role.role);
  return v_is_changed;
end
$$;

comment on function braid_store.set_trusted_role(text, text, boolean) is
  'Do the work of braid.add_trusted_role (is_trusted true) and braid.remove_trusted_role (false).';
