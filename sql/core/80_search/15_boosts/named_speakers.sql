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
    select distinct named_speakers.speakers[t.text_number]
    from braid_store.tokenize(named_speakers.speakers, named_speakers.text_config, named_speakers.fold_diacritics) t
    where t.kind not in ('stop_word', 'character') and t.lexeme = any (named_speakers.lexemes));
end
$$;

comment on function braid_store.named_speakers(text[], text[], text, boolean) is
  'Return the speakers that a query names: a word of the name is among the lexemes of the query. Words are compared '
  'as full-text search compares them. Stop words and single characters of unspaced scripts name nobody.';
