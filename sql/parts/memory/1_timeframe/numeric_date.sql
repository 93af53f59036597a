create or replace function braid_store.numeric_date(
  word text,
  is_day_first boolean,
  out iso text,
  out is_date boolean,
  out is_ambiguous boolean
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_signs text;
  v_numbers text[];
  v_year text;
  v_month int;
  v_day int;
begin
  is_date := false;
  is_ambiguous := false;
  -- No date is shorter or longer. The check makes most words cost nothing.
  if length(word) not between 6 and 10 or word !~ '^(?:[0-9]{1,4}[-/.]){1,2}[0-9]{1,4}$' then
    return;
  end if;
  v_signs := translate(word, '0123456789', '');
  v_numbers := string_to_array(translate(word, '/.', '--'), '-');
  if v_signs = '/' then
    -- 12/2025 and 2025/12 name months.
    v_year := case when length(v_numbers[1]) = 4 then v_numbers[1] else v_numbers[2] end;
    v_month := case when length(v_numbers[1]) = 4 then v_numbers[2] else v_numbers[1] end;
    if v_year between '1900' and '2099' and length(v_year) = 4 and v_month between 1 and 12 then
      is_date := true;
      iso := format('%s-%s', v_year, lpad(v_month::text, 2, '0'));
    end if;
    return;
  elsif v_signs not in ('//', '..', '--') then
    return;
  end if;
  if length(v_numbers[1]) = 4 then
    v_year := v_numbers[1];
    v_month := v_numbers[2];
    v_day := v_numbers[3];
  elsif length(v_numbers[3]) = 4 then
    -- Only a number above 12, or another date of the same text, tells the day from the month.
    v_year := v_numbers[3];
    v_day := greatest(v_numbers[1]::int, v_numbers[2]::int);
    v_month := least(v_numbers[1]::int, v_numbers[2]::int);
    if v_day <= 12 and v_day <> v_month then
      is_ambiguous := is_day_first is null;
      v_day := v_numbers[case when is_day_first then 1 else 2 end];
      v_month := v_numbers[case when is_day_first then 2 else 1 end];
    end if;
  elsif v_signs = '//' and length(v_numbers[3]) = 2 then
    -- 25/12/31 can mean a day in 2025 or a day in 2031.
    is_date := v_numbers[2]::int between 1 and 31 and v_numbers[1]::int between 1 and 31;
    is_ambiguous := is_date;
    return;
  end if;
  -- Version numbers and telephone numbers have such forms, too.
  if v_year is null or v_year not between '1000' and '2999' or v_month not between 1 and 31 or v_day not between 1
    and 31 then
    is_ambiguous := false;
    return;
  end if;
  is_date := true;
  iso := format('%s-%s-%s', v_year, lpad(v_month::text, 2, '0'), lpad(v_day::text, 2, '0'));
  if is_ambiguous or not pg_input_is_valid(iso, 'date') then
    iso := null;
  end if;
end
$$;

comment on function braid_store.numeric_date(text, boolean) is
  'Read a date or month that is written in numbers: 31/12/2025, 12.31.2025, 2025/12/31, 12/2025. iso: the date in '
  'ISO 8601; null if the day does not exist, or if is_ambiguous. is_ambiguous: whether day and month cannot be told '
  'apart, as in 03/04/2025; is_day_first decides if it is not null. is_date: whether the word has the form of a date.';
