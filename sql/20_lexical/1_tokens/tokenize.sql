create or replace function braid_store.tokenize(texts text[], text_config text, fold_diacritics boolean)
returns table (text_number int, "position" int, lexeme text, kind text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set work_mem = '64MB'
as $$
begin
  perform braid_store.token_config(tokenize.text_config);

  return query
  with split_texts as materialized (
    -- At ASCII white space only: what else separates is found in the distinct words, not in every text.
    select t.text_number,
      string_to_array(replace(replace(replace(t.text, E'\n', ' '), E'\r', ' '), E'\t', ' '), ' ') as words
    from (select generate_subscripts(tokenize.texts, 1) as text_number, unnest(tokenize.texts) as text) as t
  ), words as materialized (
    select s.text_number, generate_subscripts(s.words, 1) as ordinal, unnest(s.words) collate "C" as word
    from split_texts s
  ), vocabulary as materialized (
    select d.word, row_number() over ()::int as word_number
    from (select distinct w.word from words w) as d
  ), lexemes as materialized (
    select l.word_number, l.position_count, l.place, l.lexeme, l.kind
    from braid_store.token_lexemes(
      array(select v.word from vocabulary v order by v.word_number), tokenize.text_config, tokenize.fold_diacritics
    ) as l
  ), occurrences as materialized (
    select w.text_number, w.ordinal, v.word_number
    from words w
    join vocabulary v on v.word = w.word
  ), shifts as materialized (
    -- How far positions have moved from ordinals behind a word that takes none or several. Few words do, so the others
    -- look the shift up by binary search instead of being sorted.
    select array_agg(s.place order by s.place) as places, array_agg(s.shift order by s.place) as shifts
    from (
      select m.place, (sum(m.position_count - 1) over (partition by m.text_number order by m.place))::int as shift
      from (
        select o.text_number, o.text_number * 4294967296::bigint + o.ordinal + 1 as place, l.position_count
        from occurrences o
        join (
          select distinct l.word_number, l.position_count from lexemes l where l.position_count <> 1
        ) as l on l.word_number = o.word_number
        union all
        select t.text_number, t.text_number * 4294967296::bigint, 1
        from generate_subscripts(tokenize.texts, 1) as t (text_number)
      ) as m
    ) as s
  )
  select o.text_number,
    o.ordinal + l.place + (select s.shifts from shifts s)[
      width_bucket(o.text_number * 4294967296::bigint + o.ordinal, (select s.places from shifts s))
    ],
    l.lexeme, l.kind
  from occurrences o
  join lexemes l on l.word_number = o.word_number
  where l.lexeme is not null;
end
$$;
comment on function braid_store.tokenize(text[], text, boolean) is
  'Texts to lexemes, the one way for indexing and for querying. text_number counts the texts and position the tokens '
  'of a text, both from 1.
1. White space and punctuation separate; scripts without spaces are cut into characters and bigrams, each at its '
  'character''s position; Hangul, which has spaces, gives its bigrams and characters at the word''s position.
2. A token of letters is a word: lower case, through the dictionaries of text_config, then without diacritics if '
  'fold_diacritics. A token of digits is itself; separators of thousands and the points of initials go.
3. Any other token is a compound (ORA-00942, camelCase, 17.2.1, src/app/main.py, a URL): itself and its parts, all at '
  'one position. A form of letters only is treated as a word at every depth; hyphens go unless between digits only.
4. Stop words are kept as "=the", at their position: the only lexemes with an equals sign.
5. A lexeme of more than 254 bytes is its beginning and an MD5. Nothing depends on the locale of the database: letters '
  'are ranges of code points, lower case is a table.
kind is word, stop_word, compound, part, bigram or character. A text''s length is its distinct positions that have '
  'something other than a stop word.';
