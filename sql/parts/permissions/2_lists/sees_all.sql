-- role: reader, definer
-- tenants: all
-- Policies call it for readers.
create or replace function braid_calls.sees_all()
returns boolean
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_calls.session_tenant_id();
begin
  -- Where no document has access, everybody reads all.
  return v_tenant_id is not null and (
    not exists (select from braid_store.access_lists l where l.tenant_id = v_tenant_id)
    or coalesce(braid_calls.readable_bounds() = '{0}', false));
end
$$;

comment on function braid_calls.sees_all() is 'Tell whether the session may read all documents of its tenant.';
