create or replace function braid_store.word_pieces(words text[])
returns table (word_number int, piece_number int, before text, piece text, after text, script text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
declare
  -- token_scan always splits words at these symbols.
  c_space constant text := E'\\u0001-\\u0020\\u0085\\u00a0\\u2000-\\u200b\\u2028\\u2029\\u202f\\u205f\\u3000';
  c_mark constant text :=
    E'!"()*,;<=>?\\u005b\\u005d\\u005e`{|}~\\u00a1'
    '\\u00a6\\u00a7\\u00ab\\u00b6\\u00b7\\u00bb\\u00bf\\u060c\\u061b\\u061f\\u06d4'
    '\\u0964\\u0965\\u2014\\u2015\\u201a-\\u2022\\u2026\\u2039\\u203a\\u2190-\\u21ff\\u2500-\\u25ff'
    '\\u3001-\\u3003\\u3008-\\u3020\\u3030'
    '\\u303d\\u30fb\\uff01\\uff08\\uff09\\uff0c\\uff1b\\uff1f\\uff3b\\uff3d\\uff5b-\\uff65';
  c_unspaced constant text := braid_store.script_letters('unspaced') || braid_store.script_letters('half_width');
  c_hangul constant text := braid_store.script_letters('hangul');
  c_emoji constant text := braid_store.script_letters('emoji') || braid_store.script_letters('flag');
  c_other constant text := '[^' || c_space || c_mark || c_unspaced || c_hangul || c_emoji || ']';
  c_pattern constant text :=
    '([' || c_space || c_mark || ']*)(?:([' || c_unspaced || ']+)|([' || c_hangul || ']+)'
    || E'|((?:[A-Za-z][A-Za-z0-9+.-]*://|www\\.)(?:' || c_other || '|[]!()*,;=?[~])+'
    || '|(?:' || c_other || '|->|[0-9](?:,[0-9]{3})+)+|[' || c_emoji || '][' || c_emoji || E'\\u200d\\ufe0f]*))?'
    || '([' || c_mark || ']*)';
begin
  return query
  with given as materialized (
    select w.word_number::int as word_number, w.word,
      w.word ~ E'^[("]*[A-Za-z0-9._''/:@&+#$%\\\\-]*[)",;!?]*$' as is_one
    from unnest(word_pieces.words) with ordinality as w (word, word_number)
  )
  select g.word_number, 1, '', g.word, '', 'spaced'
  from given g
  where g.is_one
  union all
  select g.word_number, p.piece_number::int, p.matched[1], coalesce(p.matched[2], p.matched[3], p.matched[4], ''),
    p.matched[5],
    case when p.matched[2] <> '' then 'unspaced' when p.matched[3] <> '' then 'hangul' else 'spaced' end
  from given g
  cross join lateral regexp_matches(g.word collate "C", c_pattern, 'g') with ordinality as p (matched, piece_number)
  where not g.is_one;
end
$$;

comment on function braid_store.word_pieces(text[]) is
  'Cut words, which are texts between two spaces, into pieces of one script. A piece alone gives the same tokens as '
  'it does inside its word. before is the white space and punctuation before the piece; after is the punctuation '
  'directly after it. No character is lost. script is spaced, unspaced or hangul.';
