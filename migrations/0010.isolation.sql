-- Row-level security on every table, not forced (forcing breaks pg_dump, COPY and foreign-key validation), and no
-- planner statistics on anything a tenant stores: another tenant's EXPLAIN would show how often a word occurs.
-- depends: 0009.result_types

do $$
declare
  v_column record;
begin
  for v_column in
    select c.oid::regclass as relation, a.attname
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid
    where n.nspname = 'braid_store'
      and c.relkind in ('r', 'p')
      and c.relowner = '@owner@'::regrole
      and a.attnum > 0
      and not a.attisdropped
      and exists (select from pg_catalog.pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
  loop
    execute format('alter table %s alter column %I set statistics 0', v_column.relation, v_column.attname);
  end loop;
end
$$;

do $$
declare
  v_relation regclass;
begin
  for v_relation in
    select c.oid::regclass
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'braid_store' and c.relkind in ('r', 'p') and c.relowner = '@owner@'::regrole
  loop
    execute format('alter table %s enable row level security', v_relation);
  end loop;
end
$$;
