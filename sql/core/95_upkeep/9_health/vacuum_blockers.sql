-- role: administrator, monitor
create or replace function braid_calls.vacuum_blockers(older_than interval)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select f.severity, f.code, f.subject, f.finding,
         f.reason || ' Until then, vacuum cannot free rows of any table that were deleted since; they stay in the '
                     'indexes, and searches must skip them.',
         f.command
  from (
    select 'problem' as severity, 'transaction_long' as code, format('process %s', a.pid) as subject,
           format('A transaction of user %s is open since %s (%s).', quote_ident(a.usename),
                  date_trunc('second', a.xact_start), a.state) as finding,
           'The transaction may still read rows that were deleted since it began.' as reason,
           format('select pg_terminate_backend(%s);', a.pid) as command
    from pg_stat_activity a
    where a.xact_start < clock_timestamp() - vacuum_blockers.older_than and a.backend_type = 'client backend'
      and a.pid <> pg_backend_pid() and (a.backend_xmin is not null or a.backend_xid is not null
        or a.state ~ '^idle in')
    union all
    select 'problem', 'transaction_prepared', format('prepared transaction %L', p.gid),
           format('A transaction of user %s was prepared at %s in database %s and has not ended.', quote_ident(p.owner),
                  date_trunc('second', p.prepared), quote_ident(p.database)),
           'The transaction and its locks survive restarts of the server.', format('rollback prepared %s;',
             braid_calls.line_literal(p.gid))
    from pg_prepared_xacts p
    where p.prepared < clock_timestamp() - vacuum_blockers.older_than
    union all
    -- Only PostgreSQL 17 and later know since when a slot is inactive, and which slots a standby keeps in step with its
    -- primary.
    select case when to_jsonb(s) ->> 'inactive_since' is null then 'advice' else 'problem' end,
           'replication_slot_inactive', format('replication slot %s', s.slot_name),
           format('No client has read from the slot%s.',
                  coalesce(' since ' || date_trunc('second', (to_jsonb(s) ->> 'inactive_since')::timestamptz), '')),
           'The server keeps all WAL since then, until the disk is full.',
           format('select pg_drop_replication_slot(%L);', s.slot_name)
    from pg_replication_slots s
    where not s.active and not s.temporary and (s.restart_lsn is not null or s.xmin is not null
      or s.catalog_xmin is not null)
      and not coalesce((to_jsonb(s) ->> 'synced')::boolean, false)
      and coalesce((to_jsonb(s) ->> 'inactive_since')::timestamptz, '-infinity')
          < clock_timestamp() - vacuum_blockers.older_than
  ) f;
$$;

comment on function braid_calls.vacuum_blockers(interval) is
  'Find what keeps vacuum from freeing space, as far as the login may see it: old transactions, prepared '
  'transactions, and replication slots that nobody reads from. older_than: how long they must be open to count.';
