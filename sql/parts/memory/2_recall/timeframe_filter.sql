-- role: reader
-- example: braid.timeframe_filter(timeframe => '2026-01')
-- page: guide/memory.md#filter-other-searches-by-a-timeframe
create or replace function braid.timeframe_filter(
  timeframe text,
  filters jsonb default null,
  time_zone text default null,
  reference_time timestamptz default null
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.filter_by_timeframe(timeframe_filter.timeframe, timeframe_filter.filters,
    timeframe_filter.time_zone,
                                         timeframe_filter.reference_time);
$$;

comment on function braid.timeframe_filter(text, jsonb, text, timestamptz) is
  E'Return the filter with which recall searches a timeframe. Use it for functions that take no timeframe, such as '
  'facets and explain_search.\n'
  'timeframe: any value that recall takes, but not auto. Null is all time; extract_timeframe gives null for a query '
  'that names no time. filters: further conditions that must hold. time_zone: null, the default, takes the '
  'session''s time zone. reference_time: the time from which words such as yesterday count; null takes now.';
