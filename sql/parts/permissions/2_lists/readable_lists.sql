-- role: reader, definer
-- tenants: all
-- The policies of documents and chunks call it for readers and for the definer role.
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
  v_signature text := current_setting('braid.readable_lists_signature', true);
  v_carried text;
  v_tenant_id int;
  v_principals text[];
begin
  if v_signature <> '' then
    v_carried := current_setting('braid.readable_lists', true);
    if v_signature = braid_store.lists_signature(v_carried) then
      return v_carried::int8multirange;
    end if;
  end if;
  v_tenant_id := braid_calls.session_tenant_id();
  v_principals := braid_store.session_principals();
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
  'Return the access lists whose documents the session may read; {(,)}, all numbers, if it may read all. Never null, '
  'which policies take for no list. A document without a list is for everyone in the tenant.';
