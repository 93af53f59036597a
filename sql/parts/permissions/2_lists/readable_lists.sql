-- role: reader, definer
-- tenants: all
create or replace function braid_calls.readable_lists()
returns int8multirange
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
  v_principals text[] := braid_store.session_principals();
begin
  if v_principals = '{*}' then
    return '{(,)}';
  end if;
  return coalesce((
    select range_agg(int8range(l.access_list_id, l.access_list_id, '[]'))
    from unnest(v_principals) u (principal),
         lateral (
           select p.access_list_id from braid_store.access_list_principals p
           where p.tenant_id = v_tenant_id and p.principal = u.principal
           offset 0
         ) l), '{}');
end
$$;

comment on function braid_calls.readable_lists() is
  'Look up the access lists whose documents the session may read; {(,)}, all numbers, if it may read all.';
