create or replace function braid_store.parse_query(query_text text)
returns table (clause_number int, group_number int, occurrence text, kind text, content text)
language plpgsql
immutable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
declare
  c_spaces constant text := braid_store.white_space();
  c_quotes constant text := braid_store.quotation_marks();
  -- A character that is not punctuation (ASCII, Latin-1, general, CJK, full-width). What has none is no clause.
  c_word constant text := E'[^\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb'
    '\\u00bf\\u2010-\\u205e\\u3001-\\u3003\\u3008-\\u301f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65]';
  v_query text := translate(parse_query.query_text, c_quotes || c_spaces,
                            repeat('"', length(c_quotes)) || repeat(' ', length(c_spaces)));
  v_last text := right(rtrim(v_query, '" '), 1);
  v_prose_words int := case when v_last in ('?', '？') then 1 else 5 end;
  v_has_end boolean := v_last in ('.', '?', '!', '。', '？', '！');
begin
  if v_query !~ '[-+*"]|OR' then
    -- Plain words, as in most queries.
    return query
    select w.number, w.number, 'should', 'word', w.word
    from (
      select row_number() over (order by t.place)::int as number, t.word
      from string_to_table(v_query collate "C", ' ') with ordinality t (word, place)
      where t.word ~ c_word
    ) w
    order by w.number;
    return;
  end if;
  if length(translate(v_query, '"', '')) % 2 <> length(v_query) % 2 then
    -- The last quotation mark has no partner. A curly one takes its place, as v_query has no others, and is dropped below.
    v_query := overlay(v_query placing '”' from length(v_query) - strpos(reverse(v_query), '"') + 1);
  end if;

  return query
  with items as (
    select m.item_number, i.content,
           case
             when m.matched[2] is not null then 'phrase'
             when i.content like '%*' then 'prefix'
             else 'word'
           end as kind,
           case
             when m.matched[1] = '-' then 'must_not'
             when m.matched[1] = '+' or m.matched[2] is not null then 'must'
             when m.matched[1] = '' and i.content = 'OR' then 'or'
             else 'should'
           end as occurrence,
           m.matched[1] in ('+', '-') as is_signed
    -- Signs, then a phrase or a word. Several signs together, as in --verbose, are no operator.
    from regexp_matches(v_query collate "C", '([+-]*)(?:"([^"]*)"|([^" ]+))', 'g') with ordinality m (matched, item_number),
         lateral (select btrim(translate(coalesce(m.matched[2], m.matched[3]), '”', ' ')) as content) i
    where i.content ~ c_word
  ), counted as (
    select i.*, count(*) filter (where i.kind = 'word' and i.occurrence = 'should') over () as plain_count from items i
  ), understood as (
    -- In prose a quotation is evidence: questions quote titles and words that the text spells otherwise. So is what has a
    -- sign: +1 and -2 are numbers, and dashes of a sentence lose their space. Prose has no other operator.
    select c.item_number, c.content, c.kind,
           case when c.occurrence <> 'should'
                  and c.plain_count >= v_prose_words
                  and bool_and(case
                        when not c.is_signed then c.kind <> 'prefix' and c.occurrence <> 'or'
                        else c.kind = 'word' and (c.content ~ '^[0-9]'
                                                  or c.occurrence = 'must_not' and v_has_end and c.plain_count >= 5) end)
                        over ()
                then 'should' else c.occurrence end as occurrence
    from counted c
  ), clauses as (
    select p.*,
           p.follows_or and p.occurrence <> 'must_not'
           and lag(p.occurrence) over (order by p.item_number) <> 'must_not' as is_alternative
    from (
      select i.*, coalesce(lag(i.occurrence) over (order by i.item_number) = 'or', false) as follows_or from understood i
    ) p
    where p.occurrence <> 'or'
  ), grouped as (
    select c.*, count(*) filter (where c.is_alternative is not true) over (order by c.item_number)::int as group_number
    from clauses c
  )
  select row_number() over (order by g.item_number)::int, g.group_number,
         case when bool_or(g.occurrence = 'must') over (partition by g.group_number) then 'must' else g.occurrence end,
         g.kind, case when g.kind = 'prefix' then rtrim(g.content, '* ') else g.content end
  from grouped g
  order by g.item_number;
end
$$;

comment on function braid_store.parse_query(text) is
  E'Splits a query text into its clauses, in order. Every text is valid.\n'
  'word: the query ranks by it (occurrence should). +word: it must be there (must). -word: it must not be there '
  '(must_not). The same holds for a number (-5). A hyphen inside a word, a sign alone and several signs (--verbose) '
  'are not operators. In prose a sign before a number is text, and so is a - before a word if the prose has five plain '
  'words and ends like a sentence.\n'
  '"exact phrase", in straight or curly quotation marks, is a must, and after - a must_not. In prose it is a should: '
  'a query without other operators and with five plain words or more outside of quotation marks, or with one and a '
  'question mark at the end. After + it is always a must. Quotation marks pair from left to right. A last one without a partner '
  'is dropped, and an asterisk inside is an ordinary character.\n'
  'data* is a prefix: an asterisk at the end of a word, and only there.\n'
  'a OR b: alternatives. They have one group_number, and are a must if one of them is. OR must be in capitals, '
  'between clauses that are not must_not; elsewhere it is ignored.\n'
  'What has neither a letter nor a digit is not a clause.';
