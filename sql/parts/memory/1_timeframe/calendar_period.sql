create or replace function braid_store.calendar_period(
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
  c_month constant text := '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?'
    '|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
  c_year constant text := E'(?: (?:of |in )?(\\d{4}|(?:last|previous|this|next) year))?';
  c_day constant text := E'(\\d{1,2})(?:st|nd|rd|th)?';
  v_now timestamp := reference_time at time zone time_zone;
  v_today timestamp := date_trunc('day', reference_time at time zone time_zone);
  v_parts text[];
  v_which_word text;
  v_name text;
  v_place int;
  v_day_number int := 1;
  v_length interval := '1 month';
  v_said text;
  v_is_season boolean := false;
  v_years int[];
  v_start timestamp;
begin
  v_which_word := split_part(phrase, ' ', 1);
  if v_which_word in ('last', 'previous', 'past', 'this', 'next', 'coming') then
    v_name := substr(phrase, length(v_which_word) + 2);
  else
    v_which_word := null;
    v_name := phrase;
  end if;

  v_place := (array_position('{mon,tue,wed,thu,fri,sat,sun,monday,tuesday,wednesday,thursday,friday,saturday,sunday,-,
                               tues,-,thur,-,-,-,-,-,-,thurs}'::text[], v_name) - 1) % 7;
  if v_place is not null then
    v_start := date_trunc('week', v_today) + v_place * interval '1 day';
    if v_which_word is null then
      recurs := '7 days';
    end if;
    if v_which_word in ('last', 'previous', 'past') and v_start >= v_today or v_which_word is null and v_start > v_today
      then
      v_start := v_start - interval '7 days';
    elsif v_which_word in ('next', 'coming') and v_start <= v_today then
      v_start := v_start + interval '7 days';
    end if;
    starts_at := braid_store.local_instant(v_start, time_zone);
    ends_at := braid_store.local_instant(v_start + interval '1 day', time_zone);
    return;
  end if;

  if v_name like any ('{spring%,summer%,autumn%,fall%,winter%}') then
    v_parts := regexp_match(v_name, '^(spring|summer|autumn|fall|winter)' || c_year || '$');
    -- Seasons are whole months of the northern hemisphere. A winter belongs to the year in which it begins.
    v_place := case v_parts[1] when 'spring' then 3 when 'summer' then 6 when 'winter' then 12 else 9 end;
    v_parts := array[null, v_parts[1], v_parts[2]];
    v_length := '3 months';
    v_is_season := v_parts[2] is not null;
    if not v_is_season then
      return;
    end if;
  elsif v_name like any ('{h_,h_ %,% half%}') then
    v_parts := regexp_match(v_name, '^(?:h([12])|(first|second|1st|2nd) half)' || c_year || '$');
    v_place := case coalesce(v_parts[1], left(v_parts[2], 1)) when '1' then 1 when 'f' then 1 else 7 end;
    v_length := '6 months';
  elsif v_name ~ '^[0-9]{3}0s$' then
    v_start := make_date(nullif(left(v_name, 4)::int, 0), 1, 1);
    starts_at := braid_store.local_instant(v_start, time_zone);
    ends_at := braid_store.local_instant(v_start + interval '10 years', time_zone);
    return;
  elsif v_name like any ('{q_,q_ %,%quarter%}') then
    v_parts := regexp_match(v_name, '^(?:q([1-4])|(first|second|third|fourth|1st|2nd|3rd|4th) quarter)' || c_year
      || '$');
    v_place := coalesce(v_parts[1]::int, (array_position('{first,second,third,fourth,1st,2nd,3rd,4th}'::text[],
                                                         v_parts[2]) - 1) % 4 + 1) * 3 - 2;
    v_length := '3 months';
  elsif v_name collate "C" between '0' and ':' then
    v_parts := regexp_match(v_name, '^' || c_day || ' (?:of )?' || c_month || c_year || '$');
    v_day_number := v_parts[1]::int;
    v_length := '1 day';
  else
    v_parts := regexp_match(v_name, '^' || c_month || c_year || '$');
    if v_parts is not null then
      v_parts := array[null, v_parts[1], v_parts[2]];
    else
      v_parts := regexp_match(v_name, '^' || c_month || ' ' || c_day || c_year || '$');
      v_parts := array[v_parts[2], v_parts[1], v_parts[3]];
      v_day_number := v_parts[1]::int;
      v_length := '1 day';
    end if;
  end if;
  if v_parts is null or v_which_word is not null and (v_parts[3] is not null or v_length <> interval '1 month'
    and not v_is_season) then
    return;
  end if;
  v_said := v_parts[3];
  v_place := coalesce(v_place, array_position('{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}'::text[],
    left(v_parts[2], 3)));

  v_years := case
    when v_said ~ E'^\\d' then array[v_said::int]
    when v_said is not null then
      array[extract(year from v_now)::int + case split_part(v_said, ' ', 1) when 'this' then 0 when 'next' then 1
        else -1 end]
    when v_which_word = 'this' then
      -- In January, "this winter" is the winter that began in December.
      array[extract(year from case v_parts[2] when 'winter' then v_now - interval '2 months' else v_now end)::int]
    when v_which_word in ('next', 'coming') then array[extract(year from v_now)::int, extract(year from v_now)::int + 1]
    -- Eight years back always contain a 29th of February.
    else array(select extract(year from v_now)::int - y from generate_series(0, 8) y)
  end;
  select d.start into v_start
  from unnest(v_years) with ordinality y (year, place),
       lateral (
         select make_date(y.year, v_place, v_day_number)::timestamp as start
         where y.year between 1 and 9999
           and pg_input_is_valid(format('%s-%s-%s', lpad(y.year::text, 4, '0'), v_place, v_day_number), 'date')
         offset 0
       ) d
  where v_said is not null or v_which_word = 'this'
     or case when v_which_word in ('next', 'coming') then d.start > v_now
             when v_which_word is not null then d.start + v_length <= date_trunc('month', v_now)
             else d.start <= v_now end
  order by y.place
  limit 1;
  if v_start is null then
    return;
  end if;
  if v_said is null and v_which_word is null then
    recurs := '1 year';
  end if;
  starts_at := braid_store.local_instant(v_start, time_zone);
  ends_at := braid_store.local_instant(v_start + v_length, time_zone);
end
$$;

comment on function braid_store.calendar_period(text, text, timestamptz) is
  'Return the period of a weekday, month, day of a month, season, quarter, half of a year or decade that a phrase '
  'names. The phrase may lack the year: then return the last such period that has begun; recurs is the interval '
  'after which the period comes again. Return nulls if the phrase names no such period. phrase is in lower case.';
