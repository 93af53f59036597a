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
  E'Show which ranges of time a timeframe of braid.recall stands for: one row each, in order, without overlap.\n'
  'starts_at belongs to the range, ends_at does not; null means open. timeframe: what recall takes, but not auto. '
  'time_zone: null, as by default, takes the session''s. reference_time: the time that words such as yesterday count '
  'from; null takes now. Raise 22023 if the timeframe is not understood.';
