-- role: reader
-- example: braid.extract_timeframe(query_text => 'discounts of last week')
-- page: guide/memory.md#what-does-a-timeframe-mean
create or replace function braid.extract_timeframe(
  query_text text,
  time_zone text default null,
  reference_time timestamptz default null
)
returns table (searched_text text, timeframe tstzmultirange, phrases text[], warnings jsonb)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select f.searched, f.ranges, f.phrases, f.warnings
  from braid_calls.query_timeframe(extract_timeframe.query_text, extract_timeframe.time_zone,
                                  extract_timeframe.reference_time) f;
$$;

comment on function braid.extract_timeframe(text, text, timestamptz) is
  E'Show what braid.recall makes of a query text if its timeframe is auto.\n'
  'Use it to embed the right text. query_text: the question to read. time_zone: null takes the session''s time zone. '
  'reference_time: the time from which words such as yesterday count; null takes now. searched_text: the text '
  'without the timeframe; embed this text. timeframe: the ranges of time, ready to be given to recall as timeframe; '
  'null if the text names none. phrases: the words that were taken out of the text. warnings: warnings in the form '
  'of recall_json, for dates that cannot be read, such as 03/04/2025.';
