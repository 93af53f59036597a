create or replace function braid_store.spelled_dates(phrase text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_month constant text := '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?'
    '|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
  c_weekday constant text := '(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?';
  c_day constant text := '[0-9]{1,2}(?:st|nd|rd|th)?';
  c_between constant text := ' ?- ?| to | through | until | till | and ';
  v_is_day_first boolean;
  v_phrase text := translate(phrase, '‐‑‒–—−’‘ʼ٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '------''''''01234567890123456789') collate "C";
begin
  -- Most phrases contain nothing to rewrite. Further patterns are also tried only where they may match, because a
  -- session caches few compiled patterns.
  if v_phrase !~ '[0-9.]|-[a-z]|day|quarter|month of|of the ' then
    return v_phrase;
  end if;
  v_phrase := replace(replace(v_phrase, 'last quarter of ', 'fourth quarter of '), 'final quarter', 'fourth quarter');
  -- "the year 2024" becomes "2024", "month of march" becomes "march", "end of the year" becomes "end of this year".
  v_phrase := regexp_replace(v_phrase, E'\\m(?:the )?(?:year (?=[0-9]{4}\\M)|month of (?=[a-z]))', '', 'g');
  v_phrase := regexp_replace(v_phrase, E'\\m(beginning|start|middle|end|half) of the (year|quarter|month)\\M(?! of)',
    E'\\1 of this \\2', 'g');
  if strpos(v_phrase, '''') > 0 then
    -- "'25" is 2025, "'95" is 1995.
    v_phrase := regexp_replace(v_phrase, E'(?:^| |(?<=[a-z1-4]))''([0-6][0-9])(?![0-9a-z])', E' 20\\1', 'g');
    v_phrase := regexp_replace(v_phrase, E'(?:^| |(?<=[a-z1-4]))''([7-9][0-9])(?![0-9a-z])', E' 19\\1', 'g');
  end if;
  if strpos(v_phrase, '.') > 0 then
    -- Remove the point of an abbreviation.
    v_phrase := replace(
      regexp_replace(v_phrase,
        E'\\m(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\\. ?',
                     E'\\1 ', 'g'), ' ,', ',');
    v_phrase := regexp_replace(v_phrase, format(E'\\m([0-9]{1,2})\\. ?(?=-|%s\\M)', c_month), E'\\1 ', 'g');
  end if;
  if v_phrase ~ '[0-9][-/.][0-9]' then
    -- Rewrite 31/12/2025, also if a dash joins two dates.
    v_phrase := regexp_replace(v_phrase, '([0-9]{1,4}[/.][0-9]{1,2}[/.][0-9]{1,4}|[0-9]{1,2}/[0-9]{4})-(?=[0-9]+[/.])',
      E'\\1 - ', 'g');
    select bool_or(split_part(w.word, '-', 1)::int > 12) into v_is_day_first
    from (
      select translate(rtrim(w.word, ','), '/.', '--') as word
      from string_to_table(v_phrase, ' ') w (word)
      where w.word ~ '^[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{4},?$'
    ) w
    where (split_part(w.word, '-', 1)::int > 12) <> (split_part(w.word, '-', 2)::int > 12)
    having count(distinct split_part(w.word, '-', 1)::int > 12) = 1;
    v_phrase := (
      select string_agg(case when d.iso is null then w.word when w.word like '%,' then d.iso || ',' else d.iso end,
        ' ' order by w.place)
      from string_to_table(v_phrase, ' ') with ordinality w (word, place),
           braid_store.numeric_date(rtrim(w.word, ','), v_is_day_first) d);
  end if;
  if v_phrase ~ '[a-z]-|-[a-z]|[qh]' then
    -- Rewrite 5-mar-2025, mid-march, mar-2025, q1/2025, 1q 2025 and 2025 h2.
    v_phrase := regexp_replace(v_phrase, format(E'\\m(%s)-(%s)-([0-9]{4})\\M', c_day, c_month), E'\\1 \\2 \\3', 'g');
    v_phrase := regexp_replace(v_phrase,
      format(E'\\m(early|mid|late)-(?=%s\\M|[0-9]{4}\\M|spring|summer|autumn|fall|winter)', c_month),
                               E'\\1 ', 'g');
    v_phrase := regexp_replace(v_phrase, format(E'\\m(%s)-([0-9]{4})\\M(?!-)', c_month), E'\\1 \\2', 'g');
    if v_phrase ~ '[qh][1-4]|[1-4][qh]' then
      v_phrase := regexp_replace(v_phrase, E'\\m(?:([qh][1-4])|([1-4])([qh]))(?:[/-]|, | )?([0-9]{4})\\M(?!-)',
        E'\\1\\3\\2 \\4', 'g');
      v_phrase := regexp_replace(v_phrase, E'\\m([0-9]{4})[ /-]?([qh][1-4])\\M', E'\\2 \\1', 'g');
    end if;
  end if;
  if strpos(v_phrase, 'winter') > 0 then
    v_phrase := regexp_replace(v_phrase, E'\\mwinter (?:of )?([0-9]{4})[/-](?:[0-9]{2}|[0-9]{4})\\M', E'winter \\1',
      'g');
  end if;
  if strpos(v_phrase, 'week ') > 0 then
    v_phrase := regexp_replace(v_phrase, E'\\m(?:calendar )?week ([1-9])(?=,? (?:of |in )?[0-9]{4}\\M)', E'week 0\\1',
      'g');
    v_phrase := regexp_replace(v_phrase, E'\\m(?:calendar )?week ([0-9]{2}),? (?:of |in )?([0-9]{4})\\M', E'\\2-w\\1',
      'g');
  end if;
  if v_phrase like any ('{%day%,%mon%,%tue%,%wed%,%thu%,%fri%,%sat%,%sun%}') then
    -- Remove the weekday from "monday, march 3rd".
    v_phrase := regexp_replace(v_phrase,
      format(E'\\m%s,? (?:the )?(?=%s(?:(?:%s)%s)? (?:of )?%s\\M|%s,? (?:the )?%s\\M|[0-9]{4}-[0-9]{2}-[0-9]{2})',
                                                c_weekday, c_day, c_between, c_day, c_month, c_month, c_day), '', 'g');
  end if;
  if strpos(v_phrase, 'the ') > 0 then
    v_phrase := regexp_replace(v_phrase, E'\\mthe (?=[0-9]{1,2}(?:st|nd|rd|th)\\M)', '', 'g');
  end if;
  if strpos(v_phrase, ',') > 0 then
    v_phrase := regexp_replace(v_phrase, format(E'\\m(%s(?: (?:of )?%s)?|%s(?: %s)?) ?, ?([0-9]{4})(?![-0-9])', c_day,
      c_month, c_month,
                                                c_day), E'\\1 \\2', 'g');
  end if;
  if v_phrase like any ('{%-%,% to %,% through %,% until %,% till %,% and %}') then
    -- Both days have the same month and year in "3-7 March 2026" and "March 3 to 7, 2026".
    v_phrase := regexp_replace(
      v_phrase, format(E'(?<!%s )(?<![-0-9])\\m(%s)(%s)(%s) (?:of )?(%s)\\M((?: of)? [0-9]{4}\\M)?(?![-0-9])', c_month,
        c_day,
                       c_between, c_day, c_month),
      E'\\1 \\4\\5\\2\\3 \\4\\5', 'g');
    v_phrase := regexp_replace(
      v_phrase, format(E'\\m(%s) (%s)(%s)(%s)(?! ?(?:of )?%s\\M|[-0-9])((?: of)? [0-9]{4}\\M)?(?!-)', c_month, c_day,
        c_between, c_day,
                       c_month),
      E'\\1 \\2\\5\\3\\1 \\4\\5', 'g');
  end if;
  if strpos(v_phrase, '-') > 0 then
    -- Rewrite jan-mar 2025, 2023-2025 and 30 december 2025-2 january 2026.
    v_phrase := regexp_replace(v_phrase, format(E'\\m(%s(?: %s)?(?: [0-9]{4})?) ?- ?(?=(?:%s )?%s\\M)', c_month, c_day,
      c_day, c_month),
                               E'\\1 - ', 'g');
    v_phrase := regexp_replace(v_phrase,
      E'(?:^|(?<= ))([0-9]{4}|[qh][1-4])-(?=(?:[0-9]{4}|[qh][1-4])(?: |$)|early |mid |late )', E'\\1 - ', 'g');
    v_phrase := regexp_replace(v_phrase, format(E'\\m(%s %s(?: [0-9]{4})?|%s %s(?: [0-9]{4})?)-(?=%s)', c_day, c_month,
      c_month, c_day,
                                                c_day), E'\\1 - ', 'g');
  end if;
  return regexp_replace(replace(btrim(regexp_replace(v_phrase, ' +', ' ', 'g')), ' ,', ','), E'(?<=[0-9]{4}) of(?= )',
    '', 'g');
end
$$;

comment on function braid_store.spelled_dates(text) is
  'Rewrite the dates of a phrase in the forms that named_period reads, and leave the rest as it is. jan. 5, 2026 '
  'becomes jan 5 2026; 31/12/2025 becomes 2025-12-31; 3-7 march 2026 becomes 3 march 2026-7 march 2026; ''25 becomes '
  '2025. phrase is in lower case.';
