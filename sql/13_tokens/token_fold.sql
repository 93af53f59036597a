create or replace function braid_store.token_fold(lexeme text)
returns text
language plpgsql
immutable
strict
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Combining accents, Hebrew points and Arabic vowel signs. In other scripts the marks spell the word, so they stay.
  c_marks constant text := E'[\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u064b-\\u065f\\u0670]+';
  v_lexeme text := translate(regexp_replace(normalize(lexeme, nfkd), c_marks, '', 'g'), 'øłđðħŧı', 'olddhti');
begin
  return normalize(replace(replace(replace(v_lexeme, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), nfkc);
end
$$;

comment on function braid_store.token_fold(text) is
  'Returns a lower-case lexeme without its diacritics: café as cafe, Straße as strasse. Used after stemming, because '
  'dictionaries expect the marks.';
