-- role: definer
create or replace function braid_store.server_findings()
returns table (severity text, code text, subject text, finding text, reason text, command text)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with sizes as (
    select pg_size_bytes(current_setting('shared_buffers')) as buffers,
           pg_size_bytes(current_setting('maintenance_work_mem')) as build_memory,
           -- Administrators usually set this to three quarters of the memory.
           pg_size_bytes(current_setting('effective_cache_size')) as cache,
           -- relpages dates from the last vacuum.
           sum(c.relpages)::bigint * current_setting('block_size')::int as read,
           -- While an index is made, its graph takes a sixth more.
           max(c.relpages) filter (where c.relname ~ '_hnsw$') * 7 / 6 * current_setting('block_size')::bigint as graph
    from pg_class c
    left join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = 'braid_store'::regnamespace and c.relname ~ '^vectors_[0-9]+_hnsw$'
       or exists (
         select
         from pg_class t
         where t.relnamespace = 'braid_store'::regnamespace and t.relname = any ('{postings_a,postings_b,forward_rows,
                                                                              segment_chunks,sparse_rows}')
           and (t.oid in (c.oid, i.indrelid) or t.reltoastrelid in (c.oid, i.indrelid)))
  ), locks as (
    select current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int as sessions,
           current_setting('max_locks_per_transaction')::int as each,
           (select count(*) from pg_class c
             where c.relnamespace::regnamespace::text = any ('{braid,braid_store,braid_locks}'))
           + (select count(*) from pg_proc p
             where p.pronamespace::regnamespace::text = any ('{braid,braid_calls,braid_store}')) as needed
  ), transaction_ids as (
    select age(d.datfrozenxid) as age, current_setting('autovacuum_freeze_max_age')::bigint as wanted,
           least(2 * current_setting('autovacuum_freeze_max_age')::bigint,
                 current_setting('vacuum_failsafe_age')::bigint) as most
    from pg_database d
    where d.datname = current_database()
  )
  -- The factors were measured: docs/lab/server.md. work_mem, random_page_cost, effective_cache_size and jit made no
  -- difference, so no finding names them.
  select w.severity, w.code, w.subject, w.finding, w.reason, w.command
  from sizes s, locks l, transaction_ids x,
       lateral (values
         ('problem', 'autovacuum_off', 'autovacuum', not current_setting('autovacuum')::boolean,
          'autovacuum is off',
          'the space of replaced and deleted rows is never reused. After all documents had been replaced seven '
          'times, the database was 5 times as large, and a search read 1.2 times as many pages. Turn autovacuum on.',
          E'alter system set autovacuum = on;\nselect pg_reload_conf();'),
         ('problem', 'track_counts_off', 'track_counts', not current_setting('track_counts')::boolean,
          'track_counts is off', 'autovacuum cannot tell which tables need a vacuum.',
          E'alter system set track_counts = on;\nselect pg_reload_conf();'),
         ('problem', 'fsync_off', 'fsync', not current_setting('fsync')::boolean,
          'fsync is off', 'after a crash of the machine the database may be damaged beyond repair.',
          E'alter system set fsync = on;\nselect pg_reload_conf();'),
         ('problem', 'full_page_writes_off', 'full_page_writes', not current_setting('full_page_writes')::boolean,
          'full_page_writes is off', 'after a crash of the machine pages may be half old and half new.',
          E'alter system set full_page_writes = on;\nselect pg_reload_conf();'),
         ('problem', 'isolation_level', 'default_transaction_isolation',
          current_setting('default_transaction_isolation') <> 'read committed',
          format('the default isolation level of transactions is %s', current_setting('default_transaction_isolation')),
          'maintenance and some writes refuse to run in such transactions.',
          format(E'alter database %I set default_transaction_isolation = ''read committed'';', current_database())),
         -- Autovacuum begins to freeze at autovacuum_freeze_max_age, and does nothing else at vacuum_failsafe_age.
         ('problem', 'transaction_ids_old', format('database %I', current_database()), x.age > x.most,
          format('the oldest transaction id of this database is %s transactions old, and should be %s at most',
                 x.age, x.wanted),
          'at 2,000,000,000 the server refuses writes. Vacuum cannot freeze old rows, or does not keep up: first '
          'resolve findings of what holds vacuum back, such as transaction_long. Then vacuum all tables, which '
          'blocks no reader or writer.',
          'vacuum;'),
         ('advice', 'hot_standby_feedback_off', 'hot_standby_feedback',
          pg_is_in_recovery() and not current_setting('hot_standby_feedback')::boolean,
          'hot_standby_feedback is off on this standby',
          'replay of the primary''s vacuum waits for searches on this standby, so that its lag grows, or cancels '
          'them. Turn hot_standby_feedback on if this standby serves searches.',
          E'-- on the standby\nalter system set hot_standby_feedback = on;\nselect pg_reload_conf();'),
         ('advice', 'maintenance_work_mem_small', 'maintenance_work_mem',
          s.graph > s.build_memory and s.build_memory < s.cache / 3,
          format('maintenance_work_mem is %s, but the graph of the largest vector index takes %s',
                 current_setting('maintenance_work_mem'), pg_size_pretty(s.graph)),
          'rebuilding this index takes up to 3.5 times as long. Set maintenance_work_mem to the size of the graph '
          'for sessions that call maintain().',
          format('alter database %I set maintenance_work_mem = ''%sMB'';', current_database(),
                 least(s.graph, s.cache / 3) / 1048576 + 1)),
         ('advice', 'shared_buffers_small', 'shared_buffers',
          s.read > s.buffers and s.buffers + 1048576 <= s.cache / 3,
          format('shared_buffers is %s, but the tables and indexes that searches read take %s',
                 current_setting('shared_buffers'), pg_size_pretty(s.read)),
          'with shared_buffers of a tenth of that size, a hybrid search took 2.1 times the CPU. Set shared_buffers '
          'to a quarter of the memory, and restart the server.',
          format(E'alter system set shared_buffers = ''%sMB'';\n-- then restart the server',
                 -- More than the memory would keep the server from starting.
                 least(s.read / 1048576 * 5 / 4 + 1, s.cache / 3 / 1048576))),
         -- The lock table has room for some more locks, and other sessions have locks, too.
         ('advice', 'locks_few', 'max_locks_per_transaction', l.needed > l.each::bigint * l.sessions,
          format('the server has room for %s locks, but an upgrade takes %s', l.each::bigint * l.sessions,
                 l.needed),
          'the upgrade then fails, and changes nothing. pg_dump takes a lock for each table, too.',
          format(E'alter system set max_locks_per_transaction = %s;\n-- then restart the server',
                 greatest(64, ceil(1.5 * l.needed / l.sessions))))
       ) w (severity, code, subject, is_given, finding, reason, command)
  where w.is_given
  union all
  select 'advice', 'hnsw_setting_ignored',
         concat_ws(' in ', coalesce('role ' || quote_ident(r.rolname), 'all roles'), 'database '
           || quote_ident(d.datname)),
         format('%s is set', c.setting),
         'pgbraid''s searches override this setting in each statement, by the measurements of each index. To change '
         'their ef_search, give it as an option of the search, or call measure_index_recall with set_ef_search.',
         case when g.setrole = 0 then format('alter database %I', d.datname)
              when g.setdatabase = 0 then format('alter role %I', r.rolname)
              else format('alter role %I in database %I', r.rolname, d.datname) end
         || format(' reset %s;', split_part(c.setting, '=', 1))
  from pg_db_role_setting g
  cross join unnest(g.setconfig) c (setting)
  left join pg_roles r on r.oid = g.setrole
  left join pg_database d on d.oid = g.setdatabase
  where c.setting ~ '^hnsw[.](ef_search|iterative_scan|max_scan_tuples)='
    and (g.setdatabase = 0 or d.datname = current_database());
$$;

comment on function braid_store.server_findings() is
  'Find settings of the server that make pgbraid slower with the data stored, or endanger it. finding and reason are '
  'one sentence, with a colon between them.';
