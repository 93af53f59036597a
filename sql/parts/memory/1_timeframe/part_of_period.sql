create or replace function braid_store.part_of_period(
  phrase text,
  time_zone text,
  reference_time timestamptz,
  out starts_at timestamptz,
  out ends_at timestamptz,
  out recurs interval
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parts text[] := regexp_match(
    phrase, '^(early|mid|late|(?:beginning|start|middle|end|(?:first|second|1st|2nd|last) half) of)(?: in| of)? (.+)$');
  v_period record;
  v_start timestamp;
  v_end timestamp;
  v_months int;
  v_bounds timestamp[];
  v_place int;
begin
  if v_parts is null then
    return;
  end if;
  v_period := braid_store.named_period(v_parts[2], time_zone, reference_time);
  for v_try in 1..2 loop
    v_start := date_trunc('month', v_period.starts_at at time zone time_zone);
    v_end := date_trunc('month', v_period.ends_at at time zone time_zone);
    -- Compare instants, because where clocks are put forward at midnight, the month begins at one o'clock.
    if (braid_store.local_instant(v_start, time_zone) = v_period.starts_at
        and braid_store.local_instant(v_end, time_zone) = v_period.ends_at) is not true then
      return;
    end if;
    v_months := (extract(year from v_end) - extract(year from v_start)) * 12 + extract(month from v_end) - extract(month
      from v_start);
    if v_parts[1] like '% half of' then
      v_bounds := case when v_months = 1 then array[v_start, v_start + interval '15 days', v_end]
                       when v_months % 2 = 0 then array[v_start, v_start + v_months / 2 * interval '1 month',
                         v_end] end;
      v_place := case when left(v_parts[1], 1) in ('f', '1') then 1 else 2 end;
    else
      v_bounds := case when v_months = 1 then array[v_start, v_start + interval '10 days', v_start + interval '20 days',
        v_end]
                       when v_months % 3 = 0 then array[v_start, v_start + v_months / 3 * interval '1 month',
                                                        v_start + v_months / 3 * 2 * interval '1 month', v_end] end;
      v_place := case when v_parts[1] in ('mid', 'middle of') then 2 when v_parts[1] in ('late', 'end of') then 3
        else 1 end;
    end if;
    if v_bounds is null then
      return;
    end if;
    starts_at := braid_store.local_instant(v_bounds[v_place], time_zone);
    ends_at := braid_store.local_instant(v_bounds[v_place + 1], time_zone);
    recurs := v_period.recurs;
    -- "Late March" in the middle of March means late March of the year before.
    exit when recurs is null or starts_at <= reference_time;
    v_period := braid_store.named_period(v_parts[2], time_zone, v_period.starts_at - interval '1 microsecond');
  end loop;
end
$$;

comment on function braid_store.part_of_period(text, text, timestamptz) is
  'Return the third or half of a month, quarter, season or year that a phrase names; nulls if it names none. For '
  'example, early 2025 is January to April, mid March is the 11th to the 20th, and late summer is August. phrase is '
  'in lower case and without "the".';
