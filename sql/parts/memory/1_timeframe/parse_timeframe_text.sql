create or replace function braid_store.parse_timeframe_text(timeframe text, time_zone text, reference_time timestamptz)
returns tstzmultirange
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Lower only ASCII letters: some locales turn I into another letter than i.
  v_phrase text := regexp_replace(btrim(regexp_replace(lower(timeframe collate "C"), E'\\s+', ' ', 'g')), E'\\y\\.$',
    '');
  v_range record;
  v_is_understood boolean;
  v_separator text;
  v_parts text[];
  v_last record;
begin
  v_range := braid_store.range_literal(btrim(timeframe), time_zone);
  if not v_range.is_understood then
    v_range := braid_store.iso_interval(replace(v_phrase, ' ', ''), time_zone, reference_time);
  end if;
  if v_range.is_understood then
    v_is_understood := true;
  else
    v_phrase := braid_store.spelled_dates(v_phrase);
    v_range := braid_store.timeframe_phrase(v_phrase, time_zone, reference_time);
    v_is_understood := v_range.is_understood;
  end if;
  if v_is_understood then
    if v_range.starts_at >= v_range.ends_at then
      raise exception 'timeframe ''%'' ends % it begins: % to %', left(timeframe, 100),
                      case when v_range.starts_at = v_range.ends_at then 'when' else 'before' end,
                      v_range.starts_at, v_range.ends_at
        using errcode = '22023', hint = 'Give a start before the end.';
    end if;
    return tstzmultirange(tstzrange(v_range.starts_at, v_range.ends_at));
  end if;

  foreach v_separator in array array[';', ' or ', ', and ', ',', ' and '] loop
    v_parts := string_to_array(v_phrase, v_separator);
    exit when cardinality(v_parts) > 1;
  end loop;
  if cardinality(v_parts) > 1 and (v_phrase !~ '^between ' or v_separator = ';') then
    v_last := braid_store.named_period(btrim(v_parts[cardinality(v_parts)]), time_zone, reference_time);
    return (
      select range_agg(r.ranges)
      from (
        select p.part, braid_store.named_period(regexp_replace(btrim(p.part), '^in ', ''), time_zone,
          reference_time) as period
        from unnest(v_parts) p (part)
        where btrim(p.part) <> ''
      ) p,
           lateral (
             select braid_store.parse_timeframe_text(
                      p.part, time_zone,
                      -- In "March or May 2024" the year belongs to both months.
                      case when v_separator <> ';' and (p.period).recurs = interval '1 year' and v_last.recurs is null
                                and not v_last.is_relative and v_last.starts_at is not null then v_last.starts_at
                           else reference_time end)
             offset 0
           ) r (ranges));
  end if;
  select w.word into v_separator
  from string_to_table(translate(v_phrase, ',;', '  '), ' ') w (word), braid_store.numeric_date(w.word, null) d
  where d.is_ambiguous
  limit 1;
  if found then
    raise exception 'timeframe ''%'' is ambiguous: % has no sign of which number is the month', left(timeframe, 100),
      v_separator
      using errcode = '22023', hint = 'Write 2025-03-04, or 4 March 2025.';
  end if;
  raise exception 'timeframe ''%'' is not understood', left(timeframe, 100)
    using errcode = '22023',
          hint = 'Use one of these forms: today, yesterday, last night, this morning; last, this or next week, '
                 'weekend, month, quarter, year or Monday; the last 3 days, past 2 months; two weeks ago, a few '
                 'days ago; Monday, March, March 5th, March 2025, Q4, Q4 2024, 2025; Jan. 5, 2026, 3-7 March 2026, '
                 '31/12/2025; summer 2025, early 2025, late March, H1 2025; in, on, during, since, before, after, '
                 'until, between ... and ..., from ... to ...; ISO 8601: 2025-03, 2025-03-05, 2025-W10, '
                 '2025-01-01/2025-02-01, 2025-01-01/P1M, P7D; ranges: [2025-01-01,2025-02-01); several with ; '
                 'between them; null is all time, and auto looks for it in query_text.';
end
$$;

comment on function braid_store.parse_timeframe_text(text, text, timestamptz) is
  'Return the ranges of a timeframe that is written as one text. Raise 22023 if it is not understood.';
