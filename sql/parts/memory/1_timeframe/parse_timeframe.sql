-- role: reader
-- example: braid.parse_timeframe(timeframe => '2026-01')
-- page: guide/memory.md#what-does-a-timeframe-mean
create or replace function braid.parse_timeframe(
  timeframe text,
  time_zone text default null,
  reference_time timestamptz default null
)
returns table (starts_at timestamptz, ends_at timestamptz)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select lower(r), upper(r)
  from unnest(braid_calls.read_timeframe(parse_timeframe.timeframe, parse_timeframe.time_zone,
                                         parse_timeframe.reference_time)) r
  order by 1 nulls first;
$$;

comment on function braid.parse_timeframe(text, text, timestamptz) is
  E'Show the ranges of time that a timeframe of braid.recall stands for: one row per range, in order, without '
  'overlap.\n'
  'timeframe: any value that recall takes, but not auto. time_zone: null, the default, takes the session''s time '
  'zone. reference_time: the time from which words such as yesterday count; null takes now. starts_at, ends_at: the '
  'bounds of a range. The start belongs to the range, the end does not; null means open.\n'
  'Raise 22023 if the timeframe is not understood.';
