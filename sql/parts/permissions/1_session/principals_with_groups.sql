create or replace function braid_store.principals_with_groups(principals text[], tenant_id int)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  return array(
    with recursive held (principal) as (
      select u.principal collate "C" from unnest(principals_with_groups.principals) u (principal)
      union
      select m.principal
      from held h,
           lateral (
             select m.principal from braid_store.principal_members m
             where m.tenant_id = principals_with_groups.tenant_id and m.member = h.principal
             offset 0
           ) m
    )
    select h.principal from held h order by h.principal);
end
$$;

comment on function braid_store.principals_with_groups(text[], int) is
  'Return principals with the groups that they are in, directly and through other groups, each once and sorted.';
