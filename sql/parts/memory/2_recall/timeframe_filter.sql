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
  E'Return the filter by which recall searches a timeframe, for functions that have none of their own, such as facets '
  'and explain_search.\n'
  'timeframe: what recall takes, but not auto; null, which extract_timeframe gives of a query that names no time, is '
  'all time. filters: what else is asked for. time_zone: null, as by default, takes the session''s. reference_time: '
  'the time that words such as yesterday count from; null takes now.';
