-- role: service
-- tenants: all
create or replace function braid_store.due_syncs()
returns setof int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select s.id
  from braid_store.synced_tables s
  where s.phase not in ('follow', 'lost')
     or s.storage is null and s.phase <> 'lost'
     or exists (select from braid_store.row_changes c
                where c.synced_table_id = s.id and (c.retry_at is null or c.retry_at <= clock_timestamp()))
     -- Statements on the table may fail until its trigger is replaced.
     or braid_store.sync_is_outdated(s.id)
  -- A random order gives tables behind a slow one their turn in another call.
  order by random();
end
$$;

comment on function braid_store.due_syncs() is
  'Return the synced tables that have work to do now.';
