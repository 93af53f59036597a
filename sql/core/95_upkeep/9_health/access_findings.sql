create or replace function braid_store.access_findings()
returns table (severity text, code text, subject text, finding text, reason text, command text)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with ours as (
    select n.oid, n.nspname, n.nspowner, n.nspacl from pg_namespace n
    where n.nspname in ('braid', 'braid_calls', 'braid_store', 'braid_locks')
  ), objects as (
    select 'schema' as kind, n.oid, quote_ident(n.nspname) as name, n.nspname, n.nspowner as owner,
           coalesce(n.nspacl, acldefault('n', n.nspowner)) as acl
    from ours n
    union all
    select case c.relkind when 'S' then 'sequence' else 'table' end, c.oid, c.oid::regclass::text, n.nspname,
      c.relowner,
           coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
    from pg_class c
    join ours n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S')
    union all
    select case p.prokind when 'p' then 'procedure' else 'function' end, p.oid, p.oid::regprocedure::text, n.nspname,
      p.proowner,
      coalesce(p.proacl, acldefault('f', p.proowner))
    from pg_proc p
    join ours n on n.oid = p.pronamespace
  ), known as (
    -- Owner and definer are this database's own roles.
    select r.oid from pg_roles r
    where r.oid = (select o.nspowner from ours o where o.nspname = 'braid_store')
       or r.rolname in ('braid_reader', 'braid_writer')
       or r.oid in (select p.proowner from pg_proc p join ours n on n.oid = p.pronamespace
                    where p.proname in ('session_tenant_key', 'require_tenant_key') and n.nspname in ('braid_calls',
                      'braid_store'))
  ), grants as (
    select o.kind, o.name, o.nspname, a.grantee, string_agg(distinct a.privilege_type, ', ') as privileges
    from objects o
    cross join lateral aclexplode(o.acl) a
    where a.grantee <> o.owner
    group by o.kind, o.name, o.nspname, a.grantee
  )
  select 'problem', 'row_security_off', c.oid::regclass::text, 'Row-level security is off.',
         'Each login that may read the table reads the rows of all tenants.',
         format('alter %s %s enable row level security;', 'table', c.oid::regclass)
  from pg_class c
  join ours n on n.oid = c.relnamespace and n.nspname = 'braid_store'
  where c.relkind in ('r', 'p') and not c.relrowsecurity
  union all
  select 'problem', 'policy_missing', c.oid::regclass::text, 'It has no policy tenant_isolation.',
         'Only the owner of the table can read it.', 'pgbraid upgrade --repair'
  from pg_class c
  join ours n on n.oid = c.relnamespace and n.nspname = 'braid_store'
  where c.relkind in ('r', 'p')
    and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_isolation')
  union all
  -- A policy is always in one of these forms (core/20_tenancy/4_policies).
  select 'problem', 'policy_changed', format('policy %I of %s', p.polname, c.oid::regclass),
         'pgbraid did not create this policy: ' || left(coalesce(pg_get_expr(p.polqual, c.oid), 'for inserts'), 200),
         'A row that one permissive policy allows is visible, whatever the other policies say.',
         format('drop policy %I on %s;', p.polname, c.oid::regclass)
         || case when p.polname in ('tenant_isolation', 'definitions') then E'\npgbraid upgrade --repair' else '' end
  from pg_policy p
  join pg_class c on c.oid = p.polrelid
  join ours n on n.oid = c.relnamespace and n.nspname = 'braid_store'
  cross join lateral (
    select case when p.polname not in ('tenant_isolation', 'definitions') then 'other'
                else regexp_replace(lower(pg_get_expr(p.polqual, c.oid) collate "C"),
                  E'[\\s()]|as (session_tenant_id|login_is_known)', '',
                                    'g') end as form,
           exists (select from braid_store.parts t where t.manifest #>> array['tables', c.relname::text,
             'policy'] = 'definition')
             as is_definition
  ) e
  where p.polpermissive
    and (e.form <> all ('{tenant_id=selectbraid_calls.session_tenant_id,id=selectbraid_calls.session_tenant_id,false,
                          selectbraid_calls.login_is_known,true}')
         or e.form = 'id=selectbraid_calls.session_tenant_id' and c.relname <> 'tenants'
         or e.form = 'selectbraid_calls.login_is_known' and not e.is_definition
         or e.form = 'true'
            and (p.polname <> 'definitions' or not e.is_definition
                 or not (p.polroles <@ array(select k.oid from known k
                                             where k.oid::regrole::text not in ('braid_reader', 'braid_writer'))))
         or p.polwithcheck is not null)
  union all
  select 'problem', 'granted_to_public', g.name, format('PUBLIC has %s on this %s.', g.privileges, g.kind),
         'Each login of the server has this privilege in this database, without a grant of its own.',
         format('revoke all on %s %s from public;', g.kind, g.name)
  from grants g
  where g.grantee = 0
  union all
  select 'problem', 'granted_to_others', g.name,
         format('%s has %s on this %s.', quote_ident(r.rolname), g.privileges, g.kind),
         case when g.kind = 'schema' then 'A role that may create objects in this schema can place functions there '
                                          'that pgbraid''s calls then run.'
              else 'Use pgbraid''s functions instead of its tables. Direct reads reveal facts about other tenants'' '
                   'rows by plans and counts, and direct writes bypass pgbraid''s indexes.' end,
         format('revoke %s on %s %s from %I;', case g.kind when 'schema' then 'create' else 'all' end, g.kind, g.name,
                r.rolname)
  from grants g
  join pg_roles r on r.oid = g.grantee
  where g.grantee not in (select k.oid from known k) and not r.rolsuper
    -- This also finds roles of a database that this one was copied from; an upgrade takes their rights away.
    and (g.kind in ('table', 'sequence') and g.nspname <> 'braid' or g.kind = 'schema' and g.privileges ~ 'CREATE')
  union all
  select 'problem', 'owner_changed', o.name, format('Its owner is %s.', quote_ident(r.rolname)),
         'Policies do not apply to the owner, and the owner can change this object for all who use it.',
         'pgbraid upgrade --repair'
  from objects o
  join pg_roles r on r.oid = o.owner
  where (o.owner not in (select k.oid from known k) or r.rolname !~ '^braid_(owner|definer)_')
    -- On nodes of a cluster, a superuser owns these functions, because they read what only superusers may.
    and not (o.kind = 'function' and r.rolsuper
             and o.oid in (to_regprocedure('braid_calls.tenant_here()'),
               to_regprocedure('braid_store.hold_shard(integer)')))
  union all
  select 'problem', 'function_changed', p.oid::regprocedure::text,
         case when p.prosecdef and n.nspname = 'braid' then 'It runs with the rights of its owner.'
              else 'Its search_path differs from the search_path of pgbraid''s functions.' end,
         'A role that may create objects can then make pgbraid run its code, with rights that this role lacks.',
         'pgbraid upgrade --repair'
  from pg_proc p
  join ours n on n.oid = p.pronamespace
  where p.prosecdef and n.nspname = 'braid'
     -- A procedure that commits cannot set its search_path.
     or 'search_path=pg_catalog, pg_temp' <> all (coalesce(p.proconfig, '{}')) and (p.prokind <> 'p' or p.prosecdef)
  union all
  -- PostgREST reads its settings from the settings of its login.
  select 'problem', 'schema_exposed', format('role %I', r.rolname),
         format('PostgREST serves the schemas %s.', substr(c.setting, length('pgrst.db_schemas=') + 1)),
         'braid_calls, braid_store and braid_locks are internal: clients could call internal functions and read '
         'tables directly.',
         format('alter role %I%s set pgrst.db_schemas = %L;' || E'\nnotify pgrst, ''reload config'';', r.rolname,
                ' in database ' || quote_ident(d.datname),
                (select string_agg(btrim(e.name), ', ')
                 from regexp_split_to_table(substr(c.setting, length('pgrst.db_schemas=') + 1), ',') e (name)
                 where btrim(e.name, ' "') not in ('braid_calls', 'braid_store', 'braid_locks')))
  from pg_db_role_setting g
  join pg_roles r on r.oid = g.setrole
  left join pg_database d on d.oid = g.setdatabase
  cross join unnest(g.setconfig) c (setting)
  where c.setting ~ E'^pgrst\\.db_schemas=.*\\mbraid_(calls|store|locks)\\M'
    and (g.setdatabase = 0 or d.datname = current_database());
$$;

comment on function braid_store.access_findings() is
  'Find rights, policies, owners and functions of pgbraid that differ from an installation''s, and schemas that '
  'PostgREST should not serve.';
