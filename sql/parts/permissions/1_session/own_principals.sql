-- role: reader
create or replace function braid_calls.own_principals()
returns text[]
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform braid_store.require_tenant_id();
  return nullif(braid_store.session_principals(), '{*}');
end
$$;

comment on function braid_calls.own_principals() is 'Do the work of braid.current_principals.';
