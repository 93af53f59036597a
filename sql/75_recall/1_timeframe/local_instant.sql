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
  -- With the offset of the day before: of two instants that a clock shows when it is put back, PostgreSQL takes the later.
  v_earlier := (wall_clock - (((v_instant - interval '1 day') at time zone local_instant.time_zone)
                              - ((v_instant - interval '1 day') at time zone 'UTC'))) at time zone 'UTC';
  return case when v_earlier at time zone local_instant.time_zone = wall_clock then least(v_earlier, v_instant)
              else v_instant end;
end
$$;

comment on function braid_store.local_instant(timestamp, text) is
  'The instant at which clocks first show a time. One that they skip is as much after the change as it would be.';
