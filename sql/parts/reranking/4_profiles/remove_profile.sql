-- role: writer
create or replace function braid_calls.remove_profile(profile text)
returns boolean
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
begin
  delete from braid_store.profiles p where p.tenant_id = v_tenant_id and p.name = remove_profile.profile;
  return found;
end
$$;

comment on function braid_calls.remove_profile(text) is 'Do the work of braid.delete_profile.';
