create or replace function braid_store.period_ranges(periods jsonb)
returns tstzmultirange
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select range_agg(tstzrange((p ->> 'starts_at')::timestamptz, (p ->> 'ends_at')::timestamptz))
    from jsonb_array_elements(case when jsonb_typeof(period_ranges.periods) = 'array' then period_ranges.periods
      else '[]' end) p);
end
$$;

comment on function braid_store.period_ranges(jsonb) is
  'Return the ranges of the timeframe in stats.recall; null for all time.';
