-- role: administrator, monitor
-- tenants: all
create or replace function braid_calls.administrator_findings(older_than interval)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  c_tenants constant int := 100;
  c_shards constant int := 1000;
  v_deadline timestamptz;
  v_maintain text := 'pgbraid maintain --seconds 3600';
  v_tenant record;
  v_seen int := 0;
  v_left boolean := false;
  -- Monitors see figures of all tenants, but no messages, which may quote what a tenant has stored.
  v_shows_messages boolean := exists (
    select from pg_proc p
    where p.pronamespace = 'braid'::regnamespace and p.proname = 'calibrate'
      and has_function_privilege(session_user, p.oid, 'execute'));
begin
  return query
  select f.severity, f.code, f.subject, upper(left(f.finding, 1) collate "C") || substr(f.finding, 2) || '.',
         upper(left(f.reason, 1) collate "C") || substr(f.reason, 2), f.command
  from braid_store.server_findings() f
  union all
  select f.*
  from pg_extension e
  left join pg_available_extensions a on a.name = e.extname
  cross join lateral braid_store.pgvector_findings(e.extversion, a.default_version) f
  where e.extname = 'vector'
  union all
  select f.* from braid_store.storage_findings() f
  union all
  select f.* from braid_store.access_findings() f;
  -- This function cannot read tables that others own, and should not.
  if exists (select from pg_class c where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')
                                      and c.relowner <> current_user::regrole) then
    return;
  end if;

  return query
  select 'problem', 'service_bypasses_policies', format('role %I', r.rolname),
         format('It is trusted as a %s, and is %s.', string_agg(t.kind, ' and a ' order by t.kind),
                case when r.rolsuper then 'a superuser' else 'allowed to bypass row-level security' end),
         'Policies do not apply to this role: a faulty query of its program can return the rows of all tenants. The '
         'role does not need this right.',
         format('alter role %I nosuperuser nobypassrls;', r.rolname)
  from braid_store.trusted_roles t
  join pg_roles r on r.rolname = t.role
  where t.kind in ('gateway', 'service') and r.rolcanlogin and (r.rolsuper or r.rolbypassrls)
  group by r.rolname, r.rolsuper
  union all
  select 'problem', 'maintenance_overdue', 'maintenance',
         format('Maintenance has been due since %s.', date_trunc('second', min(d.due_at))),
         'Segments are not merged, vectors are not indexed, space is not freed, and searches get slower. Run a '
         'worker, or have pg_cron call braid.maintain.',
         v_maintain
  from (values ('visit'), ('move_vectors'), ('index_attributes')) k (task),
       lateral (
         select d.due_at from braid_store.due_parts d
         where d.task = k.task and d.awaits is null order by d.due_at limit 1
       ) d
  where d.due_at < now() - administrator_findings.older_than
  having count(*) > 0;

  return query
  select f.* from braid_store.extend_health(administrator_findings.older_than, v_shows_messages) f
  union all
  select f.*
  from (select s.tenant_id from braid_store.vector_shards s
        where s.state = 'serving' and (s.ef_search is null or not braid_store.has_hnsw(s.id))
        group by s.tenant_id order by max(s.vector_count) desc limit c_shards) s
  join braid_store.tenants t on t.id = s.tenant_id
  cross join lateral braid_store.shard_findings(t.id, t.key) f;
  v_deadline := clock_timestamp() + interval '2 seconds';
  -- The session's own tenant comes first.
  for v_tenant in
    select t.id, t.key, f.is_beyond
    from braid_store.waiting_tenants(c_tenants) f
    join braid_store.tenants t on t.id = f.tenant_id
    order by f.is_beyond, t.id is distinct from braid_store.tenant_id_by_trust(), t.id
  loop
    if v_tenant.is_beyond or clock_timestamp() > v_deadline then
      v_left := true;
      exit;
    end if;
    v_seen := v_seen + 1;
    return query
    select f.* from braid_store.tenant_findings(v_tenant.id, v_tenant.key, administrator_findings.older_than,
      v_deadline,
                                                   v_shows_messages) f;
  end loop;
  -- Some collections of the last tenant may have been left out.
  v_left := v_left or clock_timestamp() > v_deadline;
  if v_left then
    return query
    select 'advice', 'tenants_left_out', 'tenants', format('Only the data of %s tenants was checked.',
      v_seen),
           'There are too many tenants for one call. Name a tenant to have it checked first.',
             'pgbraid doctor --tenant TENANT';
  end if;
end
$$;

comment on function braid_calls.administrator_findings(interval) is
  'Do the work of braid.health for administrators and monitors: check the server, all tenants, roles and rights. '
  'Only administrators see messages and metadata keys.';
