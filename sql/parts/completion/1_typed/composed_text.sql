create or replace function braid_store.composed_text(content text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Few texts have a mark that joins the letter before it, or a letter with a composed form of its own. So most texts
  -- are not normalised, which takes long.
  c_joining constant text :=
    E'[\\u0300-\\u0345\\u0374\\u037e\\u0387\\u0653-\\u0655\\u093c\\u0958-\\u095f\\u09dc-\\u09df\\u0a33\\u0a36'
    '\\u0a59-\\u0a5e\\u0b5c\\u0b5d\\u0f43-\\u0fb9\\u1161-\\u1175\\u11a8-\\u11c2\\u1f71-\\u1ffd\\u2126\\u212a\\u212b'
    '\\u3099\\u309a\\uf900-\\ufad9\\ufb1d-\\ufb4e]'
    '|[\\u09c7\\u0b47\\u0b92\\u0bc6\\u0bc7\\u0c46\\u0cbf\\u0cc6\\u0cca\\u0d46\\u0d47\\u0dd9\\u0ddc\\u1025]'
    '[\\u09be\\u09d7\\u0b3e\\u0b56\\u0b57\\u0bbe\\u0bd7\\u0c56\\u0cc2\\u0cd5\\u0cd6\\u0d3e'
    '\\u0d57\\u0dca\\u0dcf\\u0ddf\\u102e]';
begin
  return case when octet_length(content) > length(content) and content collate "C" ~ c_joining
              then normalize(content, nfc) else content end;
end
$$;

comment on function braid_store.composed_text(text) is
  'Return a text in which letters and their marks are composed (NFC), as in what completion is asked for.';
