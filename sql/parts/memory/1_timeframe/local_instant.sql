create or replace function braid_store.local_instant(wall_clock timestamp, time_zone text)
returns timestamptz
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_instant timestamptz := wall_clock at time zone local_instant.time_zone;
  v_earlier timestamptz;
begin
  -- When clocks are put back, they show a time twice, and PostgreSQL takes the later instant. The offset of the day
  -- before gives the earlier instant.
  v_earlier := (wall_clock - (((v_instant - interval '1 day') at time zone local_instant.time_zone)
                              - ((v_instant - interval '1 day') at time zone 'UTC'))) at time zone 'UTC';
  return case when v_earlier at time zone local_instant.time_zone = wall_clock then least(v_earlier, v_instant)
              else v_instant end;
end
$$;

comment on function braid_store.local_instant(timestamp, text) is
  'Return the instant at which the clocks of a time zone first show a time. If clocks put forward skip the time, '
  'return the instant that lies as long after the change as the time lies after the start of the gap.';
