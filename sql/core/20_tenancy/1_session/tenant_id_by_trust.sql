create or replace function braid_store.tenant_id_by_trust()
returns int
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Any login can set any GUC. So session_user, which SET ROLE does not change, decides which GUC is believed.
  v_requested text := nullif(current_setting('braid.tenant', true), '');
  v_reads_everything boolean;
  v_kinds text[]; -- The kinds of trust that the login has.
  v_tenant_id int;
begin
  select r.rolsuper or r.rolbypassrls,
         case when not (r.rolsuper or r.rolbypassrls) then array(
           -- This is the test of session_is.
           select t.kind from braid_store.trusted_roles t
           where pg_has_role(session_user, to_regrole(quote_ident(t.role)), 'USAGE')) end
  into v_reads_everything, v_kinds
  from pg_roles r
  where r.rolname = session_user;

  if v_reads_everything then
    v_requested := coalesce(v_requested, braid_store.request_tenant_key());
    if v_requested is not null then
      select t.id into v_tenant_id from braid_store.tenants t where t.key = v_requested;
      return v_tenant_id;
    end if;
  elsif 'gateway' = any (v_kinds) then
    select t.id into v_tenant_id from braid_store.tenants t where t.key = braid_store.request_tenant_key();
    if not found and braid_store.request_tenant_key() is null and braid_store.request_is_anonymous() then
      select s.public_tenant_id into v_tenant_id from braid_store.access_settings s;
    end if;
    return v_tenant_id;
  elsif 'service' = any (v_kinds) then
    select t.id into v_tenant_id from braid_store.tenants t where t.key = v_requested;
    return v_tenant_id;
  end if;

  -- The GUC only chooses among the login's tenants. Without it, the login's only tenant is used, else the tenant
  -- `default`.
  if v_requested is not null then
    select t.id into v_tenant_id
    from braid_store.tenants t
    where t.key = v_requested
      and exists (
        select
        from braid_store.tenant_members m
        join pg_roles r on r.rolname = m.member
        where m.tenant_id = t.id
          and pg_has_role(session_user, r.oid, 'USAGE') -- MEMBER would be true for a role's creator
      );
    return v_tenant_id;
  end if;

  select case when count(*) = 1 then min(t.id) else min(t.id) filter (where t.key = 'default') end
  into v_tenant_id
  from braid_store.tenants t
  where t.id = any (array(
      select m.tenant_id
      from braid_store.tenant_members m
      where m.member = any (
          case
            when v_reads_everything then array[session_user::text] -- A superuser has every role.
            else array(select r.rolname::text from pg_roles r where pg_has_role(session_user, r.oid, 'USAGE'))
          end)
    ));
  return v_tenant_id;
end
$$;

comment on function braid_store.tenant_id_by_trust() is
  'Return the tenant that this session acts for, by all rules of session_tenant_id; null if there is none.';
