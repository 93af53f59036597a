create or replace function braid_store.period_between(
  first_phrase text,
  last_phrase text,
  time_zone text,
  reference_time timestamptz,
  out starts_at timestamptz,
  out ends_at timestamptz
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_first record := braid_store.named_period(first_phrase, time_zone, reference_time);
  v_last record := braid_store.named_period(last_phrase, time_zone, reference_time);
  v_time timestamptz;
begin
  if v_first.starts_at is null or v_last.starts_at is null then
    return;
  end if;
  case
    when v_last.recurs is not null then
      -- Take the first occurrence after the start of the first period.
      for v_step in 1..8 loop
        v_time := braid_store.shift_instant(v_first.starts_at, v_last.recurs * v_step,
          time_zone) - interval '1 microsecond';
        v_last := braid_store.named_period(last_phrase, time_zone, v_time);
        exit when v_last.starts_at >= v_first.starts_at;
      end loop;
    when v_first.recurs is not null then
      v_first := braid_store.named_period(first_phrase, time_zone, v_last.starts_at);
    else
      null; -- both phrases name one occurrence
  end case;
  starts_at := v_first.starts_at;
  ends_at := v_last.ends_at;
end
$$;

comment on function braid_store.period_between(text, text, text, timestamptz) is
  'Return the time from the start of one named period to the end of another. If the second is a month without a '
  'year, or a weekday, take its first occurrence after the first period. If only the first lacks its year, take its '
  'last occurrence before the second.';
