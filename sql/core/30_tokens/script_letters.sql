create or replace function braid_store.script_letters(script text)
returns text
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Ranges of code points are used because classes such as [[:alpha:]] depend on the database's locale.
  select case script_letters.script
    -- These scripts are written without spaces: Han, kana, Bopomofo, Thai, Lao, Burmese, Khmer, Tai.
    when 'unspaced' then
      E'\\u0e01-\\u0e2e\\u0e30-\\u0e3a\\u0e40-\\u0e4e\\u0e50-\\u0e59\\u0e80-\\u0eff\\u1000-\\u1049\\u1050-\\u109f'
      '\\u1780-\\u17d3\\u17d7\\u17dc-\\u17e9\\u1950-\\u19df\\u1a20-\\u1aaf\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u302f'
      '\\u3031-\\u303c\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u312f\\u31a0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff'
      '\\ua9e0-\\ua9fe\\uaa60-\\uaa7f\\uf900-\\ufaff\\U00016fe0-\\U00018cff\\U0001b000-\\U0001b2ff'
      '\\U00020000-\\U0003ffff'
    -- NFKC turns half-width kana into ordinary kana.
    when 'half_width' then E'\\uff66-\\uff9f'
    when 'hangul' then E'\\u1100-\\u11ff\\u3130-\\u318f\\ua960-\\ua97f\\uac00-\\ud7ff'
    when 'emoji' then E'\\u2300-\\u23ff\\u2600-\\u27bf\\u2b00-\\u2bff\\U0001f000-\\U0001f1e5\\U0001f200-\\U0001faff'
    -- Two of these letters form the flag of a country.
    when 'flag' then E'\\U0001f1e6-\\U0001f1ff'
  end;
$$;

comment on function braid_store.script_letters(text) is
  'Return the letters of a group that the tokenizer treats specially, as ranges for a bracket expression. script is '
  'unspaced, half_width, hangul, emoji or flag.';
