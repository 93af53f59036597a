create or replace function braid_store.shift_instant(instant timestamptz, duration interval, time_zone text)
returns timestamptz
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select case when d.days = interval '0' then shift_instant.instant
              else braid_store.local_instant((shift_instant.instant at time zone shift_instant.time_zone) + d.days,
                                             shift_instant.time_zone) end
         + (shift_instant.duration - d.days)
  from (
    select make_interval(years => extract(year from shift_instant.duration)::int,
                         months => extract(month from shift_instant.duration)::int,
                         days => extract(day from shift_instant.duration)::int) as days
  ) d;
$$;

comment on function braid_store.shift_instant(timestamptz, interval, text) is
  'Add a duration to an instant. Years, months and days follow the calendar of a time zone; hours, minutes and '
  'seconds are elapsed time.';
