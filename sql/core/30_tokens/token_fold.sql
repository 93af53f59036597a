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
  -- The pattern matches combining accents, Hebrew points, Arabic vowel signs and recitation signs, and the dot of
  -- Devanagari (nukta). In other scripts the marks spell the word, so they stay.
  c_marks constant text :=
    E'[\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f'
    '\\u06d6-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06ed\\u093c]+';
  v_lexeme text := translate(regexp_replace(normalize(lexeme, nfkd), c_marks, '', 'g'), 'øłđðħŧıة', 'olddhtiه');
begin
  return normalize(replace(replace(replace(replace(v_lexeme, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), nfkc);
end
$$;

comment on function braid_store.token_fold(text) is
  'Return a lower-case lexeme without its diacritics: café as cafe, Straße as strasse, مدرسة as مدرسه. Call it after '
  'stemming, because dictionaries expect the marks.';
