create or replace function braid_store.extend_export_permissions(tenant_id int, kind text)
returns setof jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
begin
  -- Another server may have another login of the same name.
  if kind = 'principal_member' and braid_calls.sees_all() then
    return query
    select jsonb_build_object('principal_member', jsonb_build_object('principal', m.principal, 'member', m.member))
    from braid_store.principal_members m
    where m.tenant_id = extend_export_permissions.tenant_id and not m.member ^@ 'login:'
    order by m.member, m.principal;
  end if;
end
$$;

comment on function braid_store.extend_export_permissions(int, text) is
  'Return who is in which group of a tenant, except logins, if the session reads all documents.';
