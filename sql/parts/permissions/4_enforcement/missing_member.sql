-- role: writer
create or replace function braid_calls.missing_member(members jsonb)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
begin
  return (
    select m.value
    from jsonb_array_elements(members) with ordinality m
    -- A session that reads only some documents learns of no membership.
    where not braid_calls.sees_all() or not exists (
      select from braid_store.principal_members o
      where o.tenant_id = v_tenant_id and o.member = m.value ->> 'member' and o.principal = m.value ->> 'principal')
    order by m.ordinality
    limit 1);
end
$$;

comment on function braid_calls.missing_member(jsonb) is
  'Return the first of exported memberships that the session''s tenant does not have; null if it has all.';
