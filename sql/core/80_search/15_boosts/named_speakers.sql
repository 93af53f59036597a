create or replace function braid_store.named_speakers(
  speakers text[],
  lexemes text[],
  text_config text,
  fold_diacritics boolean
)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
-- The caller has switched sorting off for its own plan.
set enable_sort = on
as $$
begin
  return array(
    select distinct named_speakers.speakers[m.text_number]
    from (
      select w.text_number, w.word_count, max(w.word_count) over (partition by w.lexeme) as most_words
      from (
        select t.text_number, t.lexeme, count(*) over (partition by t.text_number) as word_count
        from braid_store.tokenize(named_speakers.speakers, named_speakers.text_config, named_speakers.fold_diacritics) t
        where t.kind not in ('stop_word', 'character') and t.lexeme = any (named_speakers.lexemes)
        group by t.text_number, t.lexeme
      ) w
    ) m
    where m.word_count = m.most_words);
end
$$;

comment on function braid_store.named_speakers(text[], text[], text, boolean) is
  'Return the speakers that a query names: a word of the name is among the lexemes of the query. If several names '
  'have that word, it means the name with most words in the query. Words are compared as full-text search compares '
  'them. Stop words and single characters of unspaced scripts name nobody.';
