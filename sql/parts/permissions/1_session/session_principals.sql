-- role: definer
-- tenants: all
-- The principals must be found before a policy can be evaluated.
create or replace function braid_store.session_principals()
returns text[]
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_tenant_id int := braid_calls.session_tenant_id();
  -- Any login can set any GUC. So session_user, which SET ROLE does not change, decides whether this one is believed.
  v_named text[] := braid_store.named_principals();
  v_reads_everything boolean;
  v_kinds text[]; -- The kinds of trust that the login has.
  v_is_gateway boolean;
  v_claims jsonb;
  v_is_request boolean;
  v_held text[];
begin
  select r.rolsuper or r.rolbypassrls or pg_has_role(session_user, '@owner@', 'USAGE'),
         case when r.rolsuper or r.rolbypassrls then '{}'::text[] else array(
           -- This is the test of session_is.
           select t.kind from braid_store.trusted_roles t
           where pg_has_role(session_user, to_regrole(quote_ident(t.role)), 'USAGE')) end
  into v_reads_everything, v_kinds
  from pg_roles r
  where r.rolname = session_user;

  -- A service may answer requests itself, as the MCP server does. It then reads for the user of the token.
  v_is_gateway := 'gateway' = any (v_kinds);
  v_is_request := v_is_gateway or coalesce(current_setting('request.jwt.claims', true), '') <> '';
  if v_is_request then
    v_claims := braid_store.request_claims();
    if v_claims ->> 'role' = any ((select s.trusted_claim_roles from braid_store.access_settings s)::text[]) then
      v_is_request := false;
    elsif v_is_gateway then
      v_named := null;
    end if;
  end if;
  if v_is_gateway or v_reads_everything or v_kinds && '{service,administrator}' then
    -- Only a session that serves no request has no limits. A request without claims has no principals.
    v_held := coalesce(v_named, case when not v_is_request then '{*}'
                                     else braid_store.request_principals(v_claims) end);
  else
    v_held := array(select 'login:' || r.rolname from pg_roles r
                    where pg_has_role(session_user, r.oid, 'USAGE')); -- MEMBER would be true for a role's creator
    v_held := braid_store.principals_with_groups(v_held, v_tenant_id);
    v_held := case
      when v_named is null then v_held
      when '*' = any (v_held) then v_named
      else array(select unnest(v_held) intersect select unnest(v_named)) end;
  end if;
  v_held := braid_store.principals_with_groups(v_held, v_tenant_id);
  return case when '*' = any (v_held) then '{*}' else v_held end;
end
$$;

comment on function braid_store.session_principals() is
  'Return the principals for which the session reads a tenant''s documents, with the groups that they are in; {*} if '
  'it reads all. Superusers, services and administrators read all, unless braid.principals names principals or they '
  'serve a request. Requests have the principals of their claims. Other logins have the principals of their roles, and '
  'braid.principals chooses among them.';
