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
  from unnest(braid_store.read_timeframe(parse_timeframe.timeframe, parse_timeframe.time_zone,
                                         parse_timeframe.reference_time)) r
  order by 1 nulls first;
$$;

comment on function braid.parse_timeframe(text, text, timestamptz) is
  'The ranges of time that a timeframe of braid.recall stands for, in order, apart from each other: starts_at belongs to a '
  'range, ends_at does not, null is open. Without time_zone that of the session, without reference_time now.';
