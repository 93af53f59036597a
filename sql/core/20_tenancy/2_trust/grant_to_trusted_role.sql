create or replace function braid_store.grant_to_trusted_role(role text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_kinds constant text[] := '{administrator,service,monitor,gateway}';
  v_kinds text[] := array(select t.kind from braid_store.trusted_roles t where t.role = grant_to_trusted_role.role);
  v_command text;
begin
  if not exists (select from pg_roles r where r.rolname = grant_to_trusted_role.role) then
    return; -- The role was dropped, or not created yet after a restore.
  end if;
  execute format('revoke all on schema braid, braid_calls, braid_store from %I', grant_to_trusted_role.role);
  if v_kinds <> '{}' then
    -- A role that has privileges cannot be dropped, so nobody else can take the name of a trusted role.
    execute format('grant usage on schema braid, braid_calls to %I', grant_to_trusted_role.role);
  end if;
  if v_kinds && '{service,administrator}' then
    -- These roles run functions of braid_store with the caller's rights. USAGE lets them lock tables
    -- (core/10_foundation/1_schemas/schemas.sql), but they may delete the contents anyway.
    execute format('grant usage on schema braid_store to %I', grant_to_trusted_role.role);
  end if;
  for v_command in
    with objects (kind, type, privilege, name) as (
      select k, 'routine', 'execute', f::text from unnest(c_kinds) k, braid_store.listed_functions(k) f
      union all
      select k, 'table', 'select', v::text from unnest(c_kinds) k, braid_store.listed_views(k) v
    ),
    commands (step, command) as (
      select 1, format('revoke all on %s %s from %I', o.type, string_agg(distinct o.name, ', '),
        grant_to_trusted_role.role)
      from objects o
      group by o.type
      union all
      select 2, format('grant %s on %s %s to %I', o.privilege, o.type, string_agg(distinct o.name, ', '),
                       grant_to_trusted_role.role)
      from objects o
      where o.kind = any (v_kinds)
      group by o.type, o.privilege
    )
    select c.command from commands c order by c.step
  loop
    execute v_command;
  end loop;
end
$$;

comment on function braid_store.grant_to_trusted_role(text) is
  'Make a role''s privileges fit the kinds in trusted_roles: grants what they need and revokes the rest. Do nothing '
  'if the role does not exist.';
