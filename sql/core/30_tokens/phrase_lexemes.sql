create or replace function braid_store.phrase_lexemes(texts text[], text_config text, fold_diacritics boolean)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
  return array(
    select p.phrase
    from generate_subscripts(phrase_lexemes.texts, 1) n (text_number)
    left join (
      select l.text_number, string_agg(l.lexeme, ' ' order by l.position) as phrase
      from (
        -- A compound word has lexemes of its parts at the same position. The longest lexeme of the whole word is taken.
        -- In scripts without spaces the bigram is taken, and the character only where there is no bigram.
        select distinct on (t.text_number, t.position) t.text_number, t.position, t.lexeme collate "C" as lexeme, t.kind
        from braid_store.tokenize(phrase_lexemes.texts, phrase_lexemes.text_config, phrase_lexemes.fold_diacritics) t
        order by t.text_number, t.position,
                 case t.kind when 'compound' then 1 when 'word' then 1 when 'bigram' then 2 when 'character' then 3
                             when 'stop_word' then 4 else 5 end,
                 length(t.lexeme) desc, t.lexeme collate "C"
      ) l
      group by l.text_number
      having bool_or(l.kind <> 'stop_word') and max(l.position) = count(*)
    ) p on p.text_number = n.text_number
    order by n.text_number);
end
$$;
comment on function braid_store.phrase_lexemes(text[], text, boolean) is
  'Return, for each text, the lexemes that find it as a phrase: one for each position, separated by spaces. The '
  'result is null for a text of stop words alone, or without words. No lexeme contains a space.';
