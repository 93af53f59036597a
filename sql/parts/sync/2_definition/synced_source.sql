-- role: service
create or replace function braid_store.synced_source(relation regclass)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case c.relkind when 'p' then '' else 'only ' end || relation::text
  from pg_class c
  where c.oid = relation;
$$;

comment on function braid_store.synced_source(regclass) is
  'Return SQL for a synced table in a FROM clause: a partitioned table with its partitions, any other table alone.';
