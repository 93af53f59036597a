create or replace function braid_store.grant_to_trusted_role(role text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_functions text := (select string_agg(f::text, ', ') from braid_store.administrator_functions() f);
  v_views text := (select string_agg(v::text, ', ') from braid_store.monitor_views() v);
  v_kinds text[] := array(select t.kind from braid_store.trusted_roles t where t.role = grant_to_trusted_role.role);
begin
  if not exists (select from pg_roles r where r.rolname = grant_to_trusted_role.role) then
    return; -- dropped, or not created yet after a restore
  end if;
  execute format('revoke all on function braid_store.gateway_mark(), %s from %I', v_functions, grant_to_trusted_role.role);
  execute format('revoke all on %s from %I', v_views, grant_to_trusted_role.role);
  execute format('revoke all on schema braid, braid_calls, braid_store from %I', grant_to_trusted_role.role);
  if v_kinds <> '{}' then
    -- A role that has privileges cannot be dropped, so nobody else can take the name of a trusted role.
    execute format('grant usage on schema braid, braid_calls to %I', grant_to_trusted_role.role);
  end if;
  if v_kinds && '{service,administrator}' then
    -- Synchronising runs with the caller's rights. Who has USAGE can lock tables (core/10_foundation/1_schemas/schemas.sql); these may
    -- delete what is in them.
    execute format('grant usage on schema braid_store to %I', grant_to_trusted_role.role);
  end if;
  if 'administrator' = any (v_kinds) then
    execute format('grant execute on function %s to %I', v_functions, grant_to_trusted_role.role);
  end if;
  if 'service' = any (v_kinds) then
    execute format('grant execute on function %s to %I',
                   (select string_agg(f::text, ', ') from braid_store.service_functions() f), grant_to_trusted_role.role);
  end if;
  if 'monitor' = any (v_kinds) then
    execute format('grant execute on function %s to %I',
                   (select string_agg(f::text, ', ')
                    from (select m.* from braid_store.monitor_functions() m
                          union all
                          -- braid.health, and what it calls.
                          select p.oid::regprocedure from pg_proc p
                          where p.oid in (select a from braid_store.administrator_functions() a)
                            and p.proname = any ('{health,administrator_findings,vacuum_blockers,line_literal}')) f (f)),
                   grant_to_trusted_role.role);
  end if;
  if v_kinds && '{monitor,service,administrator}' then
    execute format('grant select on %s to %I', v_views, grant_to_trusted_role.role);
  end if;
  if 'gateway' = any (v_kinds) then
    execute format('grant execute on function braid_store.gateway_mark() to %I', grant_to_trusted_role.role);
  end if;
end
$$;

comment on function braid_store.grant_to_trusted_role(text) is
  'Makes a role''s privileges fit the kinds in trusted_roles: grants what they need and revokes the rest. Does nothing '
  'if the role does not exist.';
