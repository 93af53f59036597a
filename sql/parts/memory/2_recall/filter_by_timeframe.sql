-- role: reader
create or replace function braid_calls.filter_by_timeframe(
  timeframe text,
  filters jsonb,
  time_zone text,
  reference_time timestamptz
)
returns jsonb
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  perform braid_store.require_tenant_id();
  return braid_store.time_filter(
    filter_by_timeframe.filters,
    case when filter_by_timeframe.timeframe is not null
         then braid_store.parse_timeframes(filter_by_timeframe.timeframe,
           braid_store.zone_name(filter_by_timeframe.time_zone),
                                           braid_store.check_reference_time(filter_by_timeframe.reference_time)) end);
end
$$;

comment on function braid_calls.filter_by_timeframe(text, jsonb, text, timestamptz) is
  'Do the work of braid.timeframe_filter.';
