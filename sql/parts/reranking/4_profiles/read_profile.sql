-- role: writer
create or replace function braid_calls.read_profile(profile text)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.tenant_id_of_user();
begin
  return (
    select braid_store.profile_json(p)
    from braid_store.profiles p
    where p.tenant_id = v_tenant_id and p.name = read_profile.profile);
end
$$;

comment on function braid_calls.read_profile(text) is 'Do the work of braid.get_profile.';
