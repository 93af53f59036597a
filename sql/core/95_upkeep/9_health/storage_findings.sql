create or replace function braid_store.storage_findings()
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  -- Smaller tables are left to autovacuum.
  c_rows constant int := 10000;
  c_bytes constant bigint := 16000000;
  -- Asking for the size of a shard that is being dropped would wait for the drop.
  v_locked oid[] := array(
    select l.relation from pg_locks l
    where l.locktype = 'relation' and l.mode = 'AccessExclusiveLock'
      and l.database = (select d.oid from pg_database d where d.datname = current_database()));
begin
  return query
  select case when t.dead > t.live then 'problem' else 'advice' end, 'dead_rows', t.name,
         format('%s of %s rows are dead, in %s.', t.dead, t.dead + t.live, pg_size_pretty(t.bytes)),
         'Searches must skip dead rows, and their space is not reused before a vacuum. The vacuum blocks no reader '
         'or writer, and reads '
         || case when t.bytes < 1000000000 then 'the table, which takes seconds.'
                 when t.bytes < 100000000000 then 'the table, which takes minutes: run it at a quiet time.'
                 else 'the table, which takes an hour or more: run it in a session of its own.' end,
         format('vacuum (analyze%s) %s;', case when t.bytes >= 1000000000 then ', parallel 4' else '' end, t.name)
  from (
    select c.oid::regclass::text as name, s.n_dead_tup as dead, s.n_live_tup as live,
      pg_total_relation_size(c.oid) as bytes
    from braid_store.stored_tables() c
    join pg_stat_all_tables s on s.relid = c.oid
    where c.oid <> all (v_locked)
      and s.n_dead_tup > c_rows and s.n_dead_tup > 0.2 * (s.n_dead_tup + s.n_live_tup)
  ) t
  union all
  select 'advice', 'statistics_stale', c.oid::regclass::text,
         case when c.reltuples < 0 then 'The table was never analysed.'
              else format('%s rows were written since the table was analysed.', s.n_mod_since_analyze) end,
         'The planner and pgbraid''s size estimates use the row and page counts of the last analyze. An analyze '
         'reads 30,000 pages at most, and blocks no reader or writer.',
         format('analyze %s;', c.oid::regclass)
  from braid_store.stored_tables() k
  join pg_class c on c.oid = k.oid
  join pg_stat_all_tables s on s.relid = c.oid
  where c.oid <> all (v_locked)
    and (c.reltuples < 0 and pg_relation_size(c.oid) > c_bytes
         or s.n_mod_since_analyze > greatest(c_rows, c.reltuples / 2))
  union all
  select 'problem', 'index_invalid', i.oid::regclass::text,
         format('The index of %s is not valid.', x.indrelid::regclass),
         'Writes keep the index up to date, but no search uses it. The command that built it was interrupted.',
         format(case when i.relname ~ '_cc(new|old)[0-9]*$' then 'drop' else 'reindex' end || ' index concurrently %s;',
                i.oid::regclass)
  from pg_index x
  join pg_class i on i.oid = x.indexrelid
  where i.relnamespace = 'braid_store'::regnamespace and not (x.indisvalid and x.indisready)
    -- The session that makes an index holds this lock.
    and not exists (
      select from pg_locks l
      where l.locktype = 'relation' and l.relation = x.indrelid and l.granted and l.mode = 'ShareUpdateExclusiveLock'
        and l.database = (select d.oid from pg_database d where d.datname = current_database()));

  -- Reading a sample runs the tables' own code, so do not read tables that others own.
  if not exists (select from pg_class c
                 where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')
                   and c.relowner <> (select n.nspowner from pg_namespace n where n.nspname = 'braid_store')) then
    return query
    select 'advice', 'bloat', format('braid_store.%I', case when r.part in ('rows', 'toast') then r.table_name
      else r.part end),
           format('It takes %s, and would take about %s after a rewrite.', pg_size_pretty(r.byte_count),
                  pg_size_pretty(r.needed_byte_count)),
           'Empty space takes room in the cache, so searches read more from disk.',
           case when r.part in ('rows', 'toast') then 'pgbraid maintain --seconds 600'
                else format('reindex index concurrently braid_store.%I;', r.part) end
    from braid_store.relation_sizes() r
    where r.byte_count > greatest(c_bytes, 2 * r.needed_byte_count)
      -- New rows use the room of other tables.
      and (r.part not in ('rows', 'toast') or r.table_name ~ '^postings_[ab]$');
  end if;
end
$$;

comment on function braid_store.storage_findings() is
  'Find tables and indexes with many dead rows, much empty space, no recent statistics or an invalid index. The '
  'findings come from the server''s counters and a sample of about 1000 rows of each table.';
