create or replace function braid_store.relative_period(
  phrase text,
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
  c_units constant text := '(second|minute|hour|day|week|weekend|month|quarter|year)';
  c_number constant text := E'([0-9]{1,6}|an?|(?:a )?few|(?:a )?couple(?: '
    'of)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven'
    '|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)';
  v_now timestamp := reference_time at time zone time_zone;
  v_today timestamp := date_trunc('day', reference_time at time zone time_zone);
  v_parts text[];
  v_unit text;
  v_which text;
  v_count int;
  v_length interval;
  v_step interval;
  v_start timestamp;
  v_end timestamp;
begin
  case
    when phrase = 'today' then
      v_start := v_today;
    when phrase = 'now' then
      starts_at := reference_time;
      ends_at := reference_time;
      return;
    when phrase = 'yesterday' then
      v_start := v_today - interval '1 day';
    when phrase = 'tomorrow' then
      v_start := v_today + interval '1 day';
    when phrase = 'day before yesterday' then
      v_start := v_today - interval '2 days';
    when phrase = 'last night' then
      v_start := v_today - interval '6 hours';
      v_end := v_today + interval '6 hours';
    when phrase = 'tonight' then
      v_start := v_today + interval '18 hours';
      v_end := v_today + interval '30 hours';
    when phrase in ('weekend', 'past weekend') then
      -- Take the last weekend that has begun.
      v_start := date_trunc('week', v_today + interval '2 days') - interval '2 days';
      v_end := v_start + interval '2 days';
    when phrase = 'earlier today' then
      starts_at := braid_store.local_instant(v_today, time_zone);
      ends_at := greatest(reference_time, starts_at + interval '1 microsecond');
      return;
    when phrase in ('earlier this week', 'earlier this month', 'earlier this quarter', 'earlier this year') then
      v_unit := substr(phrase, 14);
      starts_at := braid_store.local_instant(date_trunc(v_unit, v_now), time_zone);
      ends_at := greatest(reference_time, starts_at + interval '1 microsecond');
      return;
    else
      null; -- handled below
  end case;
  if v_start is not null then
    starts_at := braid_store.local_instant(v_start, time_zone);
    ends_at := braid_store.local_instant(coalesce(v_end, v_start + interval '1 day'), time_zone);
    return;
  end if;

  v_which := split_part(phrase, ' ', 1);
  if v_which in ('last', 'previous', 'past', 'this', 'current', 'next') then
    v_parts := regexp_match(phrase, '^(last|previous|past|this|current|next)(?: ' || c_number || ')? ' || c_units
      || 's?$');
  elsif phrase like '% ago' then
    v_parts := regexp_match(phrase, '^(?:about |around |some )?()' || c_number || ' ' || c_units || 's? ago$');
  end if;
  if v_parts is null or v_parts[2] is null and phrase like '%s' then
    return;
  end if;
  v_unit := v_parts[3];
  v_count := case
    when v_parts[2] is null or v_parts[2] in ('a', 'an') then 1
    when v_parts[2] ~ '^[0-9]' then v_parts[2]::int
    when v_parts[2] like '%couple%' then 2
    when v_parts[2] like '%few' then 3
    else array_position('{one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve,thirteen,fourteen,fifteen,
                          sixteen,seventeen,eighteen,nineteen,twenty}'::text[], v_parts[2])
  end;
  v_length := case v_unit when 'quarter' then interval '3 months' when 'weekend' then interval '2 days'
                          else ('1 ' || v_unit)::interval end;

  -- "The last 3 days" counts back from now; "the next 3 days" counts forward.
  if v_which in ('past', 'last', 'previous', 'next') and v_parts[2] is not null
     or v_which = 'past' or v_which = 'last' and v_unit in ('second', 'minute', 'hour', 'day') then
    if v_unit = 'weekend' or v_which in ('this', 'current') then
      return;
    elsif v_which = 'next' then
      starts_at := reference_time;
      ends_at := braid_store.shift_instant(reference_time, v_count * v_length, time_zone);
    else
      starts_at := braid_store.shift_instant(reference_time, -v_count * v_length, time_zone);
      ends_at := reference_time;
    end if;
    return;
  elsif v_which in ('this', 'current') and v_parts[2] is not null then
    return;
  end if;

  -- "Two weeks ago" is a calendar week; likewise for other units.
  v_step := case v_which when 'next' then 1 when 'this' then 0 when 'current' then 0 else -v_count end
            * case v_unit when 'weekend' then interval '7 days' else v_length end;
  if v_unit in ('second', 'minute', 'hour') then
    starts_at := reference_time + v_step;
    starts_at := starts_at - ((starts_at at time zone time_zone) - date_trunc(v_unit,
      starts_at at time zone time_zone));
    ends_at := starts_at + v_length;
    return;
  end if;
  v_start := date_trunc(case v_unit when 'weekend' then 'week' else v_unit end, v_now + v_step)
             + case v_unit when 'weekend' then interval '5 days' else interval '0' end;
  starts_at := braid_store.local_instant(v_start, time_zone);
  ends_at := braid_store.local_instant(v_start + v_length, time_zone);
end
$$;

comment on function braid_store.relative_period(text, text, timestamptz) is
  'Return the period of a phrase such as yesterday, last week, the last 3 days or two weeks ago; nulls if the phrase '
  'is no such phrase. "Last week" and "two weeks ago" are calendar weeks, which begin on Monday. "Past", and "last" '
  'with a number, count back from now. phrase is in lower case and without "the".';
