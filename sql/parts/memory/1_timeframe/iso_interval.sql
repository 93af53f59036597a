create or replace function braid_store.iso_interval(
  phrase text,
  time_zone text,
  reference_time timestamptz,
  out starts_at timestamptz,
  out ends_at timestamptz,
  out is_understood boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_duration constant text := E'^p(?=[\\dt])(\\d{1,6}y)?(\\d{1,6}m)?(\\d{1,6}w)?(\\d{1,6}d)?'
    '(t(?=\\d)(\\d{1,6}h)?(\\d{1,6}m)?(\\d{1,6}(\\.\\d+)?s)?)?$';
  v_first text := split_part(phrase, '/', 1);
  v_second text := split_part(phrase, '/', 2);
  v_from record;
  v_to record;
begin
  is_understood := false;
  if phrase ~ c_duration then
    starts_at := braid_store.shift_instant(reference_time, -(upper(phrase collate "C")::interval), time_zone);
    ends_at := reference_time;
    is_understood := true;
    return;
  elsif phrase !~ '^[^/]+/[^/]+$' or v_first in ('..') and v_second in ('..') then
    return;
  end if;

  v_from := braid_store.iso_period(v_first, time_zone);
  v_to := braid_store.iso_period(v_second, time_zone);
  case
    when v_from.starts_at is not null and v_second ~ c_duration then
      starts_at := v_from.starts_at;
      ends_at := braid_store.shift_instant(starts_at, upper(v_second collate "C")::interval, time_zone);
    when v_first ~ c_duration and v_to.starts_at is not null then
      ends_at := v_to.starts_at;
      starts_at := braid_store.shift_instant(ends_at, -(upper(v_first collate "C")::interval), time_zone);
    when (v_from.starts_at is not null or v_first = '..') and (v_to.starts_at is not null or v_second = '..') then
      starts_at := v_from.starts_at;
      -- An interval that ends with a day, month or year includes all of it.
      ends_at := case when v_to.is_instant then v_to.starts_at else v_to.ends_at end;
    else
      return;
  end case;
  is_understood := true;
end
$$;

comment on function braid_store.iso_interval(text, text, timestamptz) is
  'Read an ISO 8601 interval in lower case: from/to, from/duration, duration/to, or a duration alone, which counts '
  'back from the reference time. Two points (..) stand for an open side. Return nulls if the phrase is no interval.';
