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
  -- Scripts as in token_scan, half-width kana with them. Of its symbols those that separate whatever is around them.
  v_space constant text := E'\\u0001-\\u0020\\u0085\\u00a0\\u2000-\\u200b\\u2028\\u2029\\u202f\\u205f\\u3000';
  v_mark constant text :=
    E'!"()*,;<=>?\\u005b\\u005d\\u005e`{|}~\\u00a1\\u00a6\\u00a7\\u00ab\\u00b6\\u00b7\\u00bb\\u00bf\\u05be\\u060c\\u061b\\u061f\\u06d4'
    '\\u0964\\u0965\\u2014\\u2015\\u201a-\\u2022\\u2026\\u2039\\u203a\\u2190-\\u21ff\\u2500-\\u25ff\\u3001-\\u3003\\u3008-\\u3020\\u3030'
    '\\u303d\\u30fb\\uff01\\uff08\\uff09\\uff0c\\uff1b\\uff1f\\uff3b\\uff3d\\uff5b-\\uff65';
  v_unspaced constant text :=
    E'\\u0e01-\\u0e2e\\u0e30-\\u0e3a\\u0e40-\\u0e4e\\u0e50-\\u0e59\\u0e80-\\u0eff\\u1000-\\u1049\\u1050-\\u109f'
    '\\u1780-\\u17d3\\u17d7\\u17dc-\\u17e9\\u1950-\\u19df\\u1a20-\\u1aaf\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u302f'
    '\\u3031-\\u303c\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u312f\\u31a0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua9e0-\\ua9fe'
    '\\uaa60-\\uaa7f\\uf900-\\ufaff\\uff66-\\uff9f\\U00016fe0-\\U00018cff\\U0001b000-\\U0001b2ff\\U00020000-\\U0003ffff';
  v_hangul constant text := E'\\u1100-\\u11ff\\u3130-\\u318f\\ua960-\\ua97f\\uac00-\\ud7ff';
  v_emoji constant text := E'\\u2300-\\u23ff\\u2600-\\u27bf\\u2b00-\\u2bff\\U0001f000-\\U0001faff';
  v_other constant text := '[^' || v_space || v_mark || v_unspaced || v_hangul || v_emoji || ']';
  v_pattern constant text :=
    '([' || v_space || v_mark || ']*)(?:([' || v_unspaced || ']+)|([' || v_hangul || ']+)'
    || E'|((?:[A-Za-z][A-Za-z0-9+.-]*://|www\\.)(?:' || v_other || '|[]!()*,;=?[~])+'
    || '|(?:' || v_other || '|->|[0-9],[0-9]{3})+|[' || v_emoji || '][' || v_emoji || E'\\u200d\\ufe0f]*))?'
    || '([' || v_mark || ']*)';
begin
  return query
  with given as materialized (
    select w.word_number::int as word_number, w.word, w.word ~ E'^[("]*[A-Za-z0-9._''/:@&+#$%\\\\-]*[)",;!?]*$' as is_one
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
  cross join lateral regexp_matches(g.word collate "C", v_pattern, 'g') with ordinality as p (matched, piece_number)
  where not g.is_one;
end
$$;

comment on function braid_store.word_pieces(text[]) is
  'Cuts what stands between two spaces into pieces of one script that tokenize as they do where they stand, each with the '
  'white space and punctuation before it and the punctuation directly after. No character is lost.';
