create or replace function braid_store.check_reference_time(reference_time timestamptz)
returns timestamptz
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if reference_time < '0001-01-02 00:00:00+00' or reference_time >= '9999-12-31 00:00:00+00' then
    raise exception 'reference_time is %', reference_time
      using errcode = '22023', hint = 'Give a time of the years 1 to 9999, or null for now.';
  end if;
  -- now() would be earlier than clock_timestamp(); rows that this transaction wrote with now() must lie before the
  -- reference time.
  return coalesce(reference_time, clock_timestamp());
end
$$;

comment on function braid_store.check_reference_time(timestamptz) is
  'Return the reference time from which words such as yesterday count: the argument, or the present if it is null. '
  'Raise 22023 for a time outside the years 1 to 9999.';
