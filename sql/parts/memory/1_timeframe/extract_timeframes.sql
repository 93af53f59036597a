create or replace function braid_store.extract_timeframes(
  query_text text,
  time_zone text,
  reference_time timestamptz,
  out searched text,
  out ranges tstzmultirange,
  out phrases text[],
  out warnings jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The limit covers long phrases such as "between the 5th of March 2025 and the 20th of March 2025".
  c_max_words constant int := 14;
  -- These limits bound the work for a text as long as a book.
  c_max_characters constant int := 16384;
  c_max_phrases constant int := 64;
  c_max_tries constant int := 2000;
  v_spaced text := translate(left(query_text, c_max_characters), E'\t\n\r\u00a0', '    ');
  v_masked text := '';
  -- Separate arrays are faster than a record: PostgreSQL looks up each element of a record's array from the first one
  -- on.
  v_starts_at int[];
  v_words text[];
  v_leads text[];
  v_cores text[];
  v_trails text[];
  v_can_start boolean[];
  v_can_end boolean[];
  v_count int;
  v_first int := 1;
  v_last int;
  v_stop int;
  v_taken int;
  v_tries int := 0;
  v_phrases text[];
  v_phrase text;
  v_range record;
  v_found tstzmultirange;
  v_before text;
  v_after text;
  v_starts int[] := '{}';
  v_ends int[] := '{}';
  v_unread text[] := '{}';
  v_bare text[];
begin
  perform braid_store.check_query_text(query_text);
  searched := query_text;
  ranges := '{}';
  phrases := '{}';
  -- Replace each quotation by one word of the same length, which belongs to no timeframe.
  select string_agg(case when p.place % 2 = 1 then p.part else repeat('_', length(p.part)) end, '_' order by p.place)
  into v_masked
  from string_to_table(translate(v_spaced, '“”„`', '""""'), '"') with ordinality p (part, place);

  select array_agg(w.starts_at), array_agg(w.word), array_agg(left(w.word, length(w.word) - length(w.head))),
    array_agg(w.core),
         array_agg(right(w.head, length(w.head) - length(w.core))), array_agg(k.can_start), array_agg(k.can_end)
  into v_starts_at, v_words, v_leads, v_cores, v_trails, v_can_start, v_can_end
  from (
    select w.place, w.word, w.starts_at, h.head, lower(c.core collate "C") as core
    from (
      select t.word, t.place, (sum(length(t.word) + 1) over (order by t.place) - length(t.word))::int as starts_at
      from string_to_table(v_masked, ' ') with ordinality t (word, place)
    ) w,
         lateral ltrim(w.word, '([') h (head),
         lateral rtrim(h.head, '),].;:?!…') c (core)
    where w.word <> ''
    order by w.place
    offset 0
  ) w,
       lateral braid_store.timeframe_word(w.core) k;
  v_count := coalesce(cardinality(v_starts_at), 0);
  while v_first <= v_count and cardinality(phrases) < c_max_phrases and v_tries < c_max_tries loop
    v_last := v_first;
    if v_can_start[v_first] and (v_first = 1 or v_words[v_first - 1] <> 'OR') then
      -- Extend the phrase as far as the words may belong to one timeframe. v_phrases[i] holds the first i words.
      v_phrases := array[v_cores[v_first]];
      while v_last < v_count and v_last - v_first + 1 < c_max_words and v_can_start[v_last + 1] is not null
            and (v_trails[v_last] in ('', ',')
                 or v_trails[v_last] in ('.', '.,') and v_cores[v_last] ~ '^(?:[a-z]{3}|sept|tues|thurs?)$'
                   and v_can_start[v_last] is not true)
            and v_leads[v_last + 1] = '' and v_words[v_last + 1] <> 'OR' loop
        v_last := v_last + 1;
        v_phrases := v_phrases || (v_phrases[v_last - v_first] || ' ' || v_cores[v_last]);
      end loop;
      v_stop := v_first - 1;
      while v_last > v_stop loop
        if not v_can_end[v_last] then
          v_last := v_last - 1;
          continue;
        end if;
        v_tries := v_tries + 1;
        v_phrase := braid_store.spelled_dates(v_phrases[v_last - v_first + 1]);
        v_range := braid_store.timeframe_phrase(v_phrase, time_zone, reference_time);
        v_found := case when v_range.is_understood and (v_range.starts_at < v_range.ends_at) is not false
                        then tstzmultirange(tstzrange(v_range.starts_at, v_range.ends_at)) end;
        if not v_range.is_understood and v_phrase ~ '^(in|on|during) .+ (and|or) ' then
          v_found := braid_store.listed_periods(v_phrase, time_zone, reference_time);
          v_range.is_understood := v_found is not null;
          v_range.is_explicit := true;
          v_range.starts_at := (select max(lower(r)) from unnest(v_found) r);
        end if;
        if v_range.is_understood and v_range.is_explicit then
          -- A future time ("plans for next week") cannot limit what was already said. Do not take a shorter part of
          -- the phrase instead.
          if v_range.starts_at > reference_time or v_range.starts_at >= v_range.ends_at
             or v_last < v_count and v_words[v_last + 1] = 'OR'
             or not braid_store.is_timeframe_in_text(
                      v_phrase, case when v_last = v_count or v_trails[v_last] <> '' then ''
                        else v_cores[v_last + 1] end) then
            v_last := v_stop;
          end if;
          exit;
        elsif not v_range.is_understood
              and v_phrase ~ ('^(?:on|since|before|after|until|till|from) (?:the )?(?:[a-z]{3,9} '
                '[0-9]{1,2}|[0-9]{1,2}(?:st|nd|rd|th)? (?:of )?[a-z]{3,9})'
                              '(?:st|nd|rd|th)?(?: [0-9]{4})?$')
              and v_phrase ~ E'\\m(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)' then
          -- A date such as "on February 30th" does not exist.
          v_unread := v_unread || v_phrase;
          v_last := v_stop;
          exit;
        end if;
        v_last := v_last - 1;
      end loop;
      if v_last > v_stop then
        ranges := ranges + v_found;
        phrases := phrases || v_phrases[v_last - v_first + 1];
        if v_taken = v_first - 2 and v_cores[v_first - 1] in ('and', 'or') then
          -- In "last week and yesterday", also remove the "and".
          v_ends := v_ends[:cardinality(v_ends) - 1];
        else
          v_starts := v_starts || (v_starts_at[v_first] + length(v_leads[v_first]));
        end if;
        v_ends := v_ends || (v_starts_at[v_last] + length(v_words[v_last]) - length(v_trails[v_last]));
        for v_place in v_first..v_last loop
          v_can_end[v_place] := null;
        end loop;
        v_first := v_last;
        v_taken := v_last;
      end if;
    end if;
    v_first := v_first + 1;
  end loop;
  v_unread := v_unread || array(
    select c.core
    from unnest(v_cores, v_can_end) c (core, can_end), braid_store.numeric_date(c.core, null) d
    where c.can_end and c.core collate "C" between '0' and ':' and d.is_date and d.iso is null
    group by c.core);
  warnings := case when v_unread = '{}' then '[]' else jsonb_build_array(jsonb_build_object(
    'code', 'timeframe_not_read',
    'message', format('%s cannot be read as a date, so it does not limit the time. Write 2025-03-04, or 4 March '
                      '2025.',
                      (select string_agg('"' || left(u.phrase, 100) || '"', ', ' order by u.phrase)
                       from unnest(v_unread[:10]) u (phrase))))) end;
  v_bare := array(
    select d.phrase
    from (
      select distinct m.core || ' ' || y.core
      from unnest(v_cores, v_can_end) with ordinality y (core, can_end, place),
           lateral (select v_cores[y.place - 1]) m (core)
      -- Words of a phrase that was taken have can_end = null, and give no warning.
      where y.can_end and y.core ~ '^(?:19|20)[0-9]{2}$'
        and m.core = any (
          '{january,february,march,april,may,june,july,august,september,october,november,december,jan,feb,mar,apr,jun,
            jul,aug,sep,sept,oct,nov,dec}'::text[])
      limit 10
    ) d (phrase), braid_store.named_period(d.phrase, time_zone, reference_time) p
    -- A future month cannot limit what was already said, so it deserves no warning.
    where p.starts_at <= reference_time);
  if v_bare <> '{}' then
    warnings := warnings || jsonb_build_object(
      'code', 'timeframe_not_taken',
      'message', format('%s does not limit the time. Write "in" or "on" before a date that should limit it.',
                        (select string_agg('"' || b.phrase || '"', ', ' order by b.phrase)
                          from unnest(v_bare) b (phrase))));
  end if;
  if phrases = '{}' then
    ranges := null;
    return;
  end if;

  for v_place in reverse cardinality(v_starts)..1 loop
    v_before := rtrim(left(searched, v_starts[v_place] - 1), E' \t\n\r');
    v_after := ltrim(substr(searched, v_ends[v_place]), E' \t\n\r');
    if right(v_before, 1) || left(v_after, 1) in ('()', '[]') then
      v_before := rtrim(left(v_before, -1));
      v_after := ltrim(substr(v_after, 2));
    end if;
    searched := v_before || case when v_before = '' or v_after ~ E'^([,.;:?!)\\]…]|$)' then '' else ' ' end || v_after;
  end loop;
  searched := btrim(regexp_replace(searched, E'^[\\s,;:]+', ''));
  -- List letters and digits of all scripts explicitly: under locale C, a class such as [:alnum:] has only ASCII.
  if searched !~ E'[0-9A-Za-z\\u00aa\\u00b5\\u00ba\\u00c0-\\u1fff\\u2070-\\u209f'
                 '\\u2100-\\u2fff\\u3005-\\uffff\\U00010000-\\U0010ffff]' then
    searched := '';
  end if;
end
$$;

comment on function braid_store.extract_timeframes(text, text, timestamptz) is
  E'Take the timeframes out of a query text.\n'
  'searched: the text without them. ranges: the ranges of time; null if the text names none. phrases: the words '
  'taken out. warnings: the dates in the text that cannot be read, such as 03/04/2025, and months with a year but '
  'without a preposition. Take only phrases that can hardly mean anything else: words such as last week, and dates, '
  'months, years and weekdays after a preposition. Leave alone phrases in quotation marks or next to OR, and phrases '
  'that mean the future.';
