create or replace function braid_store.spelling_variants(word text, has_diacritics boolean)
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
    from (values (1, length(word)), (0, 0)) e (first_place, last_place),
         lateral (
           select left(word, p) || reverse(substr(word, p + 1, 2)) || substr(word, p + 3) as variant
           from generate_series(e.first_place, least(e.last_place, length(word) - 2)) p
           union all
           select left(word, p) || substr(word, p + 2)
           from generate_series(e.first_place, least(e.last_place, length(word) - 1)) p
           union all
           select w.beginning || l || w.ending
           from generate_series(e.first_place, least(e.last_place, length(word) - 1)) p,
                lateral (select left(word, p) as beginning, substr(word, p + 2) as ending offset 0) w,
                unnest(v_letters) l
           union all
           select w.beginning || l || w.ending
           from generate_series(e.first_place, e.last_place) p,
                lateral (select left(word, p) as beginning, substr(word, p + 1) as ending offset 0) w,
                unnest(v_letters) l
         ) v
    where v.variant <> word);
end
$$;

comment on function braid_store.spelling_variants(text, boolean) is
  'Return the spellings that differ from a lower-case word by one edit: two neighbours are exchanged, or one letter is '
  'left out, replaced or added, in this order. Edits at the first letter come last. has_diacritics: whether letters '
  'with diacritics are tried. The array is empty unless the word has letters of one alphabet only.';
