create or replace function braid_store.drop_search_days(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- A session that reads the log locks the tables of all days.
set lock_timeout = '200ms'
as $$
declare
  v_day date;
  v_is_complete boolean := true;
begin
  if not exists (select from braid_store.search_log_days d where d.collection_ids = '{}') then
    return true;
  elsif not braid_store.lock_search_log() then
    return false;
  end if;
  for v_day in select d.day from braid_store.search_log_days d where d.collection_ids = '{}' order by d.day loop
    begin
      execute format('drop table if exists braid_store.%I', 'search_log_' || to_char(v_day, 'YYYYMMDD'));
      delete from braid_store.search_log_days d where d.day = v_day;
    exception when lock_not_available then
      v_is_complete := false; -- the next call tries again
    end;
    if clock_timestamp() > drop_search_days.deadline then
      return false;
    end if;
  end loop;
  return v_is_complete;
end
$$;

comment on function braid_store.drop_search_days(timestamptz) is
  'Drop the tables of days that no collection keeps any longer, until the deadline. Return whether none is left.';
