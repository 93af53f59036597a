create or replace function braid_store.token_lexemes(words text[], text_config text, fold_diacritics boolean)
returns table (word_number int, position_count int, place int, lexeme text, kind text, is_counted boolean)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The pattern matches ASCII words and numbers.
  c_ascii constant text := '^(?:[A-Z]?[a-z]+|[A-Z]+s?|[0-9]+)$';
  -- The pattern matches letters of European scripts that NFKC does not change.
  c_plain constant text := E'^(?:[A-Z]?[a-z]+|[A-Z]+s?|'
    '[a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u0131\\u0134-\\u013e\\u0141-\\u0148\\u014a-\\u017e\\u0400-\\u052f]+)$';
  c_lower constant text := E'^[a-z\\u00df-\\u00f6\\u00f8-\\u00ff\\u0430-\\u045f]+$';
  -- Longer words are shortened, or are too long for a dictionary.
  c_max_plain constant int := 100;
  v_dictionaries regdictionary[] := braid_store.token_dictionaries(token_lexemes.text_config);
begin
  return query
  with stemmed as materialized (
    -- Most words are plain once punctuation is trimmed. They need no scan, and have one lexeme.
    select s.word_number, s.core, s.form, s.stems,
      s.form is not null and v_dictionaries is not null
        and (s.stems is null or s.stems = '{}'
             or cardinality(s.stems) = 1 and octet_length(s.stems[1]) between 1 and c_max_plain) as is_plain
    from (
      select f.word_number, f.core, f.form,
        -- A number has no stem.
        case when f.form >= 'a' collate "C"
             then ts_lexize(case when f.is_ascii then v_dictionaries[1] else v_dictionaries[2] end, f.form) end as stems
      from (
        select t.word_number, t.core, t.is_ascii,
          case when octet_length(t.core) > c_max_plain then null
               when t.is_lower then t.core
               when t.is_ascii then case when t.core ~ c_ascii then lower(t.core collate "C") end
               when t.core ~ c_plain
                 then case when t.core ~ c_lower then t.core else braid_store.token_lower(t.core) end end as form
        from (
          select w.word_number, w.core, w.is_lower, w.is_lower or octet_length(w.core) = length(w.core) as is_ascii
          from (
            select u.word_number, u.is_lower,
              case when u.is_lower then u.word
                   else rtrim(ltrim(u.word, E'([{<"''`*-/\\,;:!?'), E')]}>"''`*-/\\,;:!?.') end as core
            from (
              select u.word_number::int as word_number, u.word, u.word <> '' and u.word !~ '[^a-z]' as is_lower
              from unnest(token_lexemes.words) with ordinality as u (word, word_number)
              offset 0 -- so that each expression is computed once, not at every use
            ) as u
            offset 0
          ) as w
          offset 0
        ) as t
        offset 0
      ) as f
      offset 0
    ) as s
  )
  select p.word_number, 1, 0,
    case when p.is_stop_word then '=' else '' end
    || case when token_lexemes.fold_diacritics and octet_length(p.stem) > length(p.stem)
                 and p.stem ~ braid_store.foldable_letters()
              then braid_store.token_fold(p.stem) else p.stem end,
    case when p.is_stop_word then 'stop_word' else 'word' end, not p.is_stop_word
  from (
    select s.word_number, replace(coalesce(s.stems[1], s.form), '=', ':') as stem,
      coalesce(s.stems = '{}', false) as is_stop_word
    from stemmed s
    where s.is_plain
    offset 0
  ) as p
  union all
  select l.*
  from (
    select array_agg(case when not s.is_plain then s.core end) as words from stemmed s having bool_or(not s.is_plain)
  ) as o
  cross join lateral braid_store.compound_lexemes(o.words, token_lexemes.text_config, token_lexemes.fold_diacritics)
    as l;
end
$$;

comment on function braid_store.token_lexemes(text[], text, boolean) is
  'Return the lexemes of words that stand between spaces, as tokenize() does. A run of unspaced script differs: it '
  'is one row, of kind run, for token_grams. Call this function once for each distinct word. position_count: how '
  'many positions the word takes. Punctuation takes none, and has one row without a lexeme. is_counted: true for one '
  'lexeme at each place that has a lexeme that is no stop word.';
