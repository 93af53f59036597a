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
  v_kinds text[] := array(select t.kind from braid_store.trusted_roles t where t.role = grant_to_trusted_role.role);
begin
  if not exists (select from pg_roles r where r.rolname = grant_to_trusted_role.role) then
    return; -- dropped, or not made yet where a dump was restored
  end if;
  execute format('revoke all on function braid_store.gateway_mark(), %s from %I', v_functions, grant_to_trusted_role.role);
  execute format('revoke all on schema braid, braid_store from %I', grant_to_trusted_role.role);
  if v_kinds <> '{}' then
    -- This also keeps the role from being dropped, and its name from being taken by another, while it is trusted.
    execute format('grant usage on schema braid, braid_store to %I', grant_to_trusted_role.role);
  end if;
  if 'administrator' = any (v_kinds) then
    execute format('grant execute on function %s to %I', v_functions, grant_to_trusted_role.role);
  end if;
  if 'service' = any (v_kinds) then
    execute format('grant execute on function %s to %I',
                   (select string_agg(f::text, ', ') from braid_store.service_functions() f), grant_to_trusted_role.role);
  end if;
  if 'gateway' = any (v_kinds) then
    execute format('grant execute on function braid_store.gateway_mark() to %I', grant_to_trusted_role.role);
  end if;
end
$$;

comment on function braid_store.grant_to_trusted_role(text) is
  'Gives a role the privileges that go with what it is trusted as, and takes away those that do not.';
