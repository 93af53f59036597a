create or replace function braid_store.server_warnings()
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_agg(jsonb_build_object('code', f.code, 'message', f.finding || ': ' || f.reason)
    order by f.code), '[]')
  from braid_store.server_findings() f
  where f.code in ('autovacuum_off', 'maintenance_work_mem_small', 'shared_buffers_small')
    and exists (
      select
      from pg_proc p
      where p.pronamespace = 'braid'::regnamespace and p.proname = 'calibrate'
        and has_function_privilege(session_user, p.oid, 'execute'));
$$;

comment on function braid_store.server_warnings() is
  'Return the settings of the server that make pgbraid slower with the data stored, as a JSON array of objects with '
  'code and message. The array is empty for all but administrators, who may call braid.calibrate, because it tells '
  'how much all tenants have.';
