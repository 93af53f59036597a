create or replace function braid_store.create_log_day(day date)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_table text := 'search_log_' || to_char(create_log_day.day, 'YYYYMMDD');
  v_column text;
begin
  -- Creating the table locks its parent against vacuum and DDL, not against searches.
  execute format(
    'create table braid_store.%I (check (searched_at >= %L and searched_at < %L), primary key (tenant_id, search_id)) '
    'inherits (braid_store.search_log)',
    v_table, to_char(create_log_day.day, 'YYYY-MM-DD') || ' 00:00:00+00',
    to_char(create_log_day.day + 1, 'YYYY-MM-DD') || ' 00:00:00+00');
  for v_column in
    select a.attname from pg_attribute a where a.attrelid = format('braid_store.%I', v_table)::regclass and a.attnum > 0
  loop
    execute format('alter table braid_store.%I alter column %I set statistics 0', v_table, v_column);
  end loop;
  execute format('alter table braid_store.%I enable row level security', v_table);
  execute format('create policy tenant_isolation on braid_store.%I using (tenant_id = (select '
    'braid_calls.session_tenant_id()))',
                 v_table);
  execute format('comment on table braid_store.%I is %L', v_table, 'A day (UTC) of the search log.');
  insert into braid_store.search_log_days (day, collection_ids) values (create_log_day.day, '{}');
end
$$;

comment on function braid_store.create_log_day(date) is
  'Create and register the table for a day of the search log. It needs the lock of lock_search_log.';
