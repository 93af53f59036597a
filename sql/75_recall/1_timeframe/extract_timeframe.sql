create or replace function braid.extract_timeframe(
  query_text text,
  time_zone text default null,
  reference_time timestamptz default null
)
returns table (searched_text text, timeframe tstzmultirange, phrases text[])
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select f.searched, f.ranges, f.phrases
  from braid_store.find_timeframe(extract_timeframe.query_text, extract_timeframe.time_zone,
                                  extract_timeframe.reference_time) f;
$$;

comment on function braid.extract_timeframe(text, text, timestamptz) is
  'What braid.recall does with a query text under timeframe auto: the text that it searches, which is the text to embed; the '
  'ranges of time, a value for timeframe, null if the text names none; and the phrases that were taken out.';
