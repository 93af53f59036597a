create or replace function braid_store.extend_health_sync(older_than interval, shows_messages boolean)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  c_rows constant int := 10000;
begin
  return query
  select 'problem', 'sync_lost', format('table %s', s.table_name),
         case when r.relation is null then 'The table was dropped, or its triggers were.'
              else 'The collection or the tenant of the table was dropped.' end,
         'Changes of the table''s rows are no longer recorded, so its documents go stale.',
         format('select %s(%s);', 'braid.unsync_table',
                braid_calls.line_literal(coalesce(r.relation::text, s.table_name)))
  from braid_store.synced_tables s
  cross join lateral (select braid_store.synced_relation(s.id) as relation) r
  where s.phase = 'lost' or s.phase <> 'end' and r.relation is null
  union all
  select 'problem', 'sync_misses_changes', format('table %s', s.table_name),
         upper(left(f.faults, 1) collate "C") || substr(f.faults, 2),
         'Documents of changed rows go stale. The cause is a disabled trigger, or a restore of the table''s rows '
         'with --disable-triggers.',
         format('select %s(%s);', 'braid.check_sync', braid_calls.line_literal(r.relation::text))
  from braid_store.synced_tables s
  cross join lateral (select braid_store.synced_relation(s.id) as relation) r
  cross join lateral (select braid_store.trigger_faults(r.relation, true) as faults) f
  where s.phase not in ('lost', 'end') and f.faults is not null
  union all
  select 'problem', 'sync_failing', format('table %s', s.table_name),
         case when h.failed_count > 0 then format('%s changed rows failed', h.failed_count) else 'The sync failed' end
         || case when extend_health_sync.shows_messages then ': ' || left(coalesce(h.last_error, s.last_error), 300)
           else '.' end,
         'Searches find the former content of these rows. First fix the cause that the message names. A failed row '
         'is tried again after a pause, at first of a minute.',
         format('select %s(%L);', 'braid.apply_changes', '1 minute')
  from braid_store.synced_tables s
  cross join lateral (
    select count(*) as failed_count, max(f.last_error) as last_error
    from (select h.attempts, h.last_error from braid_store.row_changes h where h.synced_table_id = s.id
          order by h.id limit c_rows) f
    where f.attempts > 0
  ) h
  where s.phase not in ('lost', 'end') and (h.failed_count > 0 or s.last_error is not null);
end
$$;

comment on function braid_store.extend_health_sync(interval, boolean) is
  'Report synced tables that are lost, lack triggers or have failed rows.';
