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
  -- Not now(): what this transaction wrote with that time is before it.
  return coalesce(reference_time, clock_timestamp());
end
$$;

comment on function braid_store.check_reference_time(timestamptz) is
  'The time that words such as yesterday are reckoned from: now if none is given; 22023 for one that none can be.';
