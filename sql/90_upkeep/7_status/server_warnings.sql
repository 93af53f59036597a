create or replace function braid_store.server_warnings()
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with sizes as (
    select pg_size_bytes(current_setting('shared_buffers')) as buffers,
           pg_size_bytes(current_setting('maintenance_work_mem')) as build_memory,
           -- As the last vacuum found them.
           sum(c.relpages)::bigint * current_setting('block_size')::int as read,
           -- The graph of an index takes a sixth more while it is made.
           max(c.relpages) filter (where c.relname ~ '_hnsw$') * 7 / 6 * current_setting('block_size')::bigint as graph
    from pg_class c
    left join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = 'braid_store'::regnamespace and c.relname ~ '^vectors_[0-9]+_hnsw$'
       or exists (
         select
         from pg_class t
         where t.relnamespace = 'braid_store'::regnamespace and t.relname = any ('{postings,forward_rows,segment_chunks,
                                                                              sparse_rows,sparse_segment_chunks}')
           and (t.oid in (c.oid, i.indrelid) or t.reltoastrelid in (c.oid, i.indrelid)))
  )
  -- The factors were measured: docs/architecture/decisions.md.
  select coalesce(jsonb_agg(jsonb_build_object('code', w.code, 'message', w.message) order by w.code), '[]')
  from sizes s,
       lateral (values
         ('autovacuum_off', not current_setting('autovacuum')::boolean,
          'autovacuum is off: the space of what was replaced or deleted is never used again. After all documents had been '
          'replaced seven times, the database was 5 times as large, and a search read 1.2 times as many pages. Turn it on.'),
         ('maintenance_work_mem_small', s.graph > s.build_memory,
          format('maintenance_work_mem is %s, and the graph of the largest vector index takes %s: to make it anew takes '
                 'up to 3.5 times as long. Set it to that for sessions that maintain.',
                 current_setting('maintenance_work_mem'), pg_size_pretty(s.graph))),
         ('shared_buffers_small', s.read > s.buffers,
          format('shared_buffers is %s, and what searches read is %s large: with a tenth of it, a hybrid search took 2.1 '
                 'times the CPU. Set it to a quarter of the memory, and restart the server.',
                 current_setting('shared_buffers'), pg_size_pretty(s.read)))
       ) w (code, is_given, message)
  where w.is_given
    and exists (
      select
      from pg_proc p
      where p.pronamespace = 'braid'::regnamespace and p.proname = 'calibrate'
        and has_function_privilege(session_user, p.oid, 'execute'));
$$;

comment on function braid_store.server_warnings() is
  'What of the server''s settings makes pgbraid slower with what is stored: a JSON array of objects with code and message. '
  'Empty for all but administrators, who may call braid.calibrate, because it tells how much all tenants have.';
