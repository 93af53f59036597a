-- Each table has one policy, and tables of definitions, which the manifests list, have a second one. A policy is
-- created or changed only where it differs, because the change locks the table against every reader. Row-level security
-- is not forced: forcing it would break pg_dump, COPY and the check of foreign keys.
do $$
declare
  v_definitions text[] := array(
    select t.key from braid_store.parts p, jsonb_each(p.manifest -> 'tables') t
      where t.value ->> 'policy' = 'definition');
  v_owner_tables text[] := array(
    select t.key from braid_store.parts p, jsonb_each(p.manifest -> 'tables') t where t.value ->> 'policy' = 'owner');
  v_table record;
begin
  for v_table in
    select c.oid::regclass as relation, c.relowner <> '@owner@'::regrole as is_others, p.polname is null as is_missing,
           case
             when d.is_definition
               -- A login that has braid_reader only because of another database must not see the names of collections.
               then 'for select to braid_reader using ((select braid_calls.login_is_known()))'
             when c.relname = any (v_owner_tables)
                  or c.relname like '%yoyo%'
               then 'for select using (false)' -- for the owner alone
             when c.relname = 'tenants'
               then 'using (id = (select braid_calls.session_tenant_id()))'
             else 'using (tenant_id = (select braid_calls.session_tenant_id()))'
           end as definition
    from pg_catalog.pg_class c
    cross join lateral (
      select c.relname = any (v_definitions) as is_definition
    ) d
    left join pg_catalog.pg_policy p on p.polrelid = c.oid and p.polname = 'tenant_isolation'
    where c.relnamespace = 'braid_store'::regnamespace
      and c.relkind in ('r', 'p')
    order by c.oid
  loop
    if v_table.is_others then
      execute format('alter table %s owner to @owner@', v_table.relation);
    end if;
    if v_table.is_missing then
      execute format('alter table %s enable row level security', v_table.relation);
      execute format('create policy tenant_isolation on %s %s', v_table.relation, v_table.definition);
    end if;
  end loop;

  -- Searches run as the definer role, which reads definitions without this check.
  for v_table in
    select c.oid::regclass as relation, p.polname is null as is_missing
    from pg_catalog.pg_class c
    left join pg_catalog.pg_policy p on p.polrelid = c.oid and p.polname = 'definitions'
    where c.relnamespace = 'braid_store'::regnamespace
      and c.relname = any (v_definitions)
      and p.polroles is distinct from array['@definer@'::regrole::oid]
    order by c.oid
  loop
    if v_table.is_missing then
      execute format('create policy definitions on %s for select to @definer@ using (true)', v_table.relation);
    else
      execute format('alter policy definitions on %s to @definer@', v_table.relation);
    end if;
  end loop;

  -- Tenants' data has no planner statistics: another tenant's EXPLAIN would show how often a word occurs.
  for v_table in
    select a.attrelid::regclass as relation, string_agg(format('alter column %I set statistics 0', a.attname),
      ', ') as changes
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'braid_store'::regnamespace
      and c.relkind in ('r', 'p')
      and a.attstattarget is distinct from 0
      and exists (select from pg_catalog.pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id'
        and not t.attisdropped)
    group by a.attrelid
  loop
    execute format('alter table %s %s', v_table.relation, v_table.changes);
  end loop;
end
$$;
