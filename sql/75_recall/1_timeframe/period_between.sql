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
#variable_conflict use_variable
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
      -- The next after the first.
      for v_step in 1..8 loop
        v_time := braid_store.shift_instant(v_first.starts_at, v_last.recurs * v_step, time_zone) - interval '1 microsecond';
        v_last := braid_store.named_period(last_phrase, time_zone, v_time);
        exit when v_last.starts_at >= v_first.starts_at;
      end loop;
    when v_first.recurs is not null then
      v_first := braid_store.named_period(first_phrase, time_zone, v_last.starts_at);
    else
      null; -- both are said
  end case;
  starts_at := v_first.starts_at;
  ends_at := v_last.ends_at;
end
$$;

comment on function braid_store.period_between(text, text, text, timestamptz) is
  'From the start of one named period to the end of another. A month without a year, or a weekday, is the next after the first '
  'period or, if it is that, the last before the second.';
