create or replace function braid_store.spelling_variants(word text, has_diacritics boolean, at_start boolean)
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_first int := case when at_start then 0 else 1 end;
  v_last int := case when at_start then 0 else length(word) end;
  v_letters text[];
begin
  -- A word of letters of one alphabet is spelt with the letters of this alphabet.
  select array(select chr(l) from generate_series(ascii(a.first_letter), ascii(a.last_letter)) l)
         || string_to_array(case when has_diacritics then a.marked_letters else '' end, null)
  into v_letters
  from (values
    ('a', 'z', E'a-z\u00df-\u00f6\u00f8-\u024f', 'ßàáâãäåæçèéêëìíîïñòóôõöøùúûüýăąćčďđęěğıłńňőœřśşšťțůűźżž'),
    ('α', 'ω', E'\u0370-\u03ff', 'άέήίόύώ'), ('а', 'я', E'\u0400-\u052f', 'ёіїєґў'),
    ('ա', 'ֆ', E'\u0561-\u0587', ''), ('א', 'ת', E'\u05d0-\u05ea', ''),
    (E'\u0621', E'\u064a', E'\u0620-\u064a\u066e-\u06d3', ''), (E'\u0905', E'\u094d', E'\u0904-\u0963', ''),
    ('ა', 'ჰ', E'\u10d0-\u10fa', '')
  ) a (first_letter, last_letter, letters, marked_letters)
  where word collate "C" ~ ('^[' || a.letters || ']+$');
  if not found then
    return '{}';
  end if;
  return array(
    select v.variant
    from (
      select overlay(word placing reverse(substr(word, p + 1, 2)) from p + 1 for 2) as variant
      from generate_series(v_first, least(v_last, length(word) - 2)) p
      union all
      select left(word, p) || substr(word, p + 2)
      from generate_series(v_first, least(v_last, length(word) - 1)) p
      union all
      select left(word, p) || l || substr(word, p + 2)
      from generate_series(v_first, least(v_last, length(word) - 1)) p, unnest(v_letters) l
      union all
      select left(word, p) || l || substr(word, p + 1)
      from generate_series(v_first, v_last) p, unnest(v_letters) l
    ) v
    where v.variant <> word);
end
$$;

comment on function braid_store.spelling_variants(text, boolean, boolean) is
  'Return the spellings that differ from a lower-case word by one edit: two neighbours are exchanged, or one letter is '
  'left out, replaced or added, in this order. The first letter stays, or with at_start only edits there are made. '
  'has_diacritics: whether letters with diacritics are tried. The array is empty unless the word has letters of one '
  'alphabet only.';
