-- role: reader
create or replace function braid_calls.read_timeframe(timeframe text, time_zone text, reference_time timestamptz)
returns tstzmultirange
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  perform braid_store.require_tenant_id();
  return braid_store.parse_timeframes(timeframe, braid_store.zone_name(read_timeframe.time_zone),
                                      braid_store.check_reference_time(reference_time));
end
$$;

comment on function braid_calls.read_timeframe(text, text, timestamptz) is
  'Do the work of braid.parse_timeframe.';
