create or replace function braid_store.extend_work_on_all(tenant_id int, name text)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_work_on_all(int, text) is
  'Extension point: raise 42501 if the session does not see all documents of its tenant, before a function works on '
  'all of them. name: the function of the API.';
