create or replace function braid_store.stored_bytes()
returns bigint
language sql
stable
parallel restricted
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select sum(pg_total_relation_size(c.oid))::bigint
  from pg_class c
  left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
  left join pg_class p on p.oid = i.inhparent
  where coalesce(p.relnamespace, c.relnamespace) = 'braid_store'::regnamespace and c.relkind = 'r'
    -- Asking for the size of a table that is being dropped would wait for the drop.
    and not exists (
      select from pg_locks l
      where l.relation = c.oid and l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and l.granted
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and l.pid is distinct from pg_backend_pid())
    and exists (
      select
      from pg_proc p
      where p.pronamespace = 'braid'::regnamespace and p.proname = 'calibrate'
        and has_function_privilege(session_user, p.oid, 'execute'));
$$;

comment on function braid_store.stored_bytes() is
  'Return the size in bytes of all tables of pgbraid with their indexes. Return null for all but administrators, who '
  'may call braid.calibrate.';
