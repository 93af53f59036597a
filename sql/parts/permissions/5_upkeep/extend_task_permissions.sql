create or replace function braid_store.extend_task_permissions(task text, deadline timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return case when task = 'reap_access_lists'
              then jsonb_build_object('complete', clock_timestamp() < deadline and braid_store.reap_access_lists())
              else '{}' end;
end
$$;

comment on function braid_store.extend_task_permissions(text, timestamptz) is
  'Run the upkeep task of permissions: delete access lists that no document has.';
