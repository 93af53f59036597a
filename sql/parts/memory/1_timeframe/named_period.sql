create or replace function braid_store.named_period(
  phrase text,
  time_zone text,
  reference_time timestamptz,
  out starts_at timestamptz,
  out ends_at timestamptz,
  out recurs interval,
  out is_relative boolean
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_max_length constant int := 100;
  v_phrase text := case when phrase ^@ 'the ' then substr(phrase, 5) else phrase end;
  v_parts text[];
  v_hours int[];
  v_day record;
  v_midnight timestamp;
begin
  is_relative := false;
  -- The length bounds the recursion: a phrase can nest as deeply as it is long.
  if length(phrase) > c_max_length then
    return;
  end if;
  if v_phrase collate "C" between '0' and ':' then
    select p.starts_at, p.ends_at into starts_at, ends_at from braid_store.iso_period(v_phrase, time_zone) p;
  end if;
  if starts_at is null then
    select p.starts_at, p.ends_at, p.starts_at is not null into starts_at, ends_at, is_relative
    from braid_store.relative_period(v_phrase, time_zone, reference_time) p;
  end if;
  if starts_at is null then
    select p.starts_at, p.ends_at, p.recurs into starts_at, ends_at, recurs
    from braid_store.calendar_period(v_phrase, time_zone, reference_time) p;
    is_relative := split_part(v_phrase, ' ', 1) in ('last', 'previous', 'past', 'this', 'next', 'coming');
  end if;
  if starts_at is null and v_phrase like any ('{early %,mid %,late %,% of %}') then
    select p.starts_at, p.ends_at, p.recurs, true into starts_at, ends_at, recurs, is_relative
    from braid_store.part_of_period(v_phrase, time_zone, reference_time) p;
  end if;
  if starts_at is not null then
    return;
  end if;

  if v_phrase like any ('{% morning,% afternoon,% evening,% night}') then
    v_parts := regexp_match(v_phrase, '^(.+) (morning|afternoon|evening|night)$');
  end if;
  if v_parts is null then
    return;
  end if;
  v_day := braid_store.named_period(case v_parts[1] when 'this' then 'today' else v_parts[1] end, time_zone,
    reference_time);
  v_midnight := v_day.starts_at at time zone time_zone;
  if v_day.ends_at is distinct from braid_store.local_instant(date_trunc('day', v_midnight) + interval '1 day',
    time_zone) then
    return;
  end if;
  v_hours := case v_parts[2] when 'morning' then '{6,12}'::int[] when 'afternoon' then '{12,18}' when 'evening'
    then '{18,24}'
                             else '{18,30}' end;
  starts_at := braid_store.local_instant(date_trunc('day', v_midnight) + v_hours[1] * interval '1 hour', time_zone);
  ends_at := braid_store.local_instant(date_trunc('day', v_midnight) + v_hours[2] * interval '1 hour', time_zone);
  recurs := v_day.recurs;
  is_relative := v_day.is_relative;
end
$$;

comment on function braid_store.named_period(text, text, timestamptz) is
  'Return the period that a phrase names, in ISO 8601 or in words; nulls if it names none. recurs: the interval '
  'after which the period comes again, if the phrase leaves open which occurrence is meant. is_relative: whether the '
  'phrase counts from the reference time, or can mean nothing but a time otherwise. phrase is in lower case.';
