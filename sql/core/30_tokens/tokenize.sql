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
  if array_to_string(tokenize.texts, '') !~ E'[ \\n\\r\\t]' then
    -- Without white space, as in most queries, each text is one word.
    return query
    with lexemes as materialized (
      select l.*, row_number() over ()::int as lexeme_number
      from braid_store.token_lexemes(tokenize.texts, tokenize.text_config, tokenize.fold_diacritics) l
      where l.lexeme is not null
    )
    select l.word_number, 1 + l.place, l.lexeme, l.kind
    from lexemes l
    where l.kind <> 'run'
    union all
    select l.word_number, 1 + l.place + g.place, g.gram, g.kind
    from lexemes l
    join braid_store.token_grams(array(select case when l.kind = 'run' then l.lexeme end from lexemes l
                                       order by l.lexeme_number)) g
      on g.token_number = l.lexeme_number
    where exists (select from lexemes l where l.kind = 'run');
    return;
  end if;
  perform braid_store.token_config(tokenize.text_config);

  return query
  select (o.occurrence >> braid_store.position_bits())::int, (o.occurrence & braid_store.max_position())::int, o.lexeme,
         o.kind
  from (
    select t.lexeme, t.kind, unnest(t.occurrences) as occurrence
    from braid_store.token_occurrences(tokenize.texts, tokenize.text_config, tokenize.fold_diacritics) as t
  ) as o;
end
$$;
comment on function braid_store.tokenize(text[], text, boolean) is
  E'Split texts into lexemes. Both indexing and queries use only this function. text_number counts the texts, and '
  'position the tokens of a text, both from 1.\n'
  '1. White space and punctuation separate tokens. Scripts without spaces are cut into characters and bigrams, each '
  'at its character''s position. Hangul is written with spaces: its bigrams and characters stand at the word''s '
  'position.\n'
  '2. A token of letters is a word. It is converted to lower case, goes through the dictionaries of text_config, and '
  'then loses its diacritics if fold_diacritics is true. A token of digits does not change. Separators of thousands '
  'and the points of initials are removed.\n'
  '3. Any other token is a compound (ORA-00942, camelCase, 17.2.1, src/app/main.py, a URL). It has lexemes for '
  'itself and its parts, all at one position. A part of letters only is treated as a word, at every depth. Hyphens '
  'are removed, unless all other characters are digits.\n'
  '4. Stop words are kept at their position, as "=the". No other lexeme has an equals sign.\n'
  '5. A lexeme of more than 254 bytes is replaced by its beginning and an MD5 hash. The result does not depend on '
  'the locale of the database: letters are ranges of code points, and lower case is a table.\n'
  'kind is word, stop_word, compound, part, bigram or character. The length of a text is the number of its positions '
  'with a lexeme that is no stop word.';
