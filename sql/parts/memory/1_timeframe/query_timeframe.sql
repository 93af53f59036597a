-- role: reader
create or replace function braid_calls.query_timeframe(
  query_text text,
  time_zone text,
  reference_time timestamptz,
  out searched text,
  out ranges tstzmultirange,
  out phrases text[],
  out warnings jsonb
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
begin
  perform braid_store.require_tenant_id();
  select e.searched, e.ranges, e.phrases, e.warnings into searched, ranges, phrases, warnings
  from braid_store.extract_timeframes(coalesce(query_text, ''), braid_store.zone_name(time_zone),
                                      braid_store.check_reference_time(reference_time)) e;
end
$$;

comment on function braid_calls.query_timeframe(text, text, timestamptz) is
  'Do the work of braid.extract_timeframe.';
