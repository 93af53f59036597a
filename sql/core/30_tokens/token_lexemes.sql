create or replace function braid_store.token_lexemes(words text[], text_config text, fold_diacritics boolean)
returns table (word_number int, position_count int, place int, lexeme text, kind text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
declare
  -- The pattern matches ASCII words and numbers.
  c_ascii constant text := '^(?:[A-Z]?[a-z]+|[A-Z]+s?|[0-9]+)$';
  -- The pattern matches letters of European scripts that NFKC does not change.
  c_plain constant text := E'^(?:[A-Z]?[a-z]+|[A-Z]+s?|'
    '[a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u0131\\u0134-\\u013e\\u0141-\\u0148\\u014a-\\u017e\\u0400-\\u052f]+)$';
  c_lower constant text := E'^[a-z\\u00df-\\u00f6\\u00f8-\\u00ff\\u0430-\\u045f]+$';
  c_foldable constant text :=
    E'[\\u00c0-\\u03ce\\u0439\\u0450-\\u045e\\u0476\\u0477\\u04c1-\\u04f9\\u0590-\\u06ff'
    '\\u093c\\u0929\\u0931\\u0934\\u1e00-\\u1fff]';
begin
  return query
  with trimmed as materialized (
    -- Most words are plain once punctuation is trimmed, and need no scan.
    select w.word_number, w.core,
      case when octet_length(w.core) = length(w.core) then w.core ~ c_ascii else w.core ~ c_plain end as is_plain
    from (
      select u.word_number::int as word_number,
        rtrim(ltrim(u.word, E'([{<"''`*-/\\,;:!?'), E')]}>"''`*-/\\,;:!?.') as core
      from unnest(token_lexemes.words) with ordinality as u (word, word_number)
      offset 0 -- so that each word is trimmed only once
    ) as w
  ), forms as materialized (
    select t.word_number, 1 as position_count, 0 as place,
      case
        when octet_length(t.core) = length(t.core) then lower(t.core collate "C")
        when t.core ~ c_lower then t.core
        else braid_store.token_lower(t.core)
      end as form,
      'word' as kind
    from trimmed t
    where t.is_plain
    union all
    select f.word_number, f.position_count, f.place, f.form, f.kind
    from braid_store.token_forms(
      array(select case when not t.is_plain then t.core end from trimmed t order by t.word_number)
    ) as f
    where exists (select from trimmed t where not t.is_plain)
  ), stems as materialized (
    select s.word, s.stem, s.is_stop_word
    from braid_store.token_stem(
      array(
        select distinct f.form
        from forms f
        where f.kind in ('word', 'compound', 'part')
          and f.form !~ E'[\\u0001-\\u0026\\u0028-\\u0060\\u007b-\\u007f]'
          and octet_length(f.form) <= 255
      ),
      token_lexemes.text_config
    ) as s
  )
  select l.word_number, l.position_count, l.place, l.lexeme, min(l.kind)
  from (
    select d.word_number, d.position_count, d.place,
      case when d.kind = 'stop_word' then '=' else '' end
      || case when octet_length(d.lexeme) <= 254 then d.lexeme else left(d.lexeme, 48) || '~' || md5(d.lexeme) end
        as lexeme,
      d.kind
    from (
      select n.word_number, n.position_count, n.place, n.kind,
        case
          when token_lexemes.fold_diacritics and octet_length(n.stem) > length(n.stem) and n.stem ~ c_foldable
            then braid_store.token_fold(n.stem)
          else n.stem
        end as lexeme
      from (
        -- offset 0 prevents PostgreSQL from computing each expression again wherever it is used.
        select f.word_number, f.position_count, f.place, replace(coalesce(s.stem, f.form), '=', ':') as stem,
          case when s.is_stop_word then 'stop_word' else f.kind end as kind
        from forms f
        left join stems s on s.word = f.form
        where f.kind in ('word', 'compound', 'part')
        offset 0
      ) as n
      offset 0
    ) as d
    offset 0
  ) as l
  where l.lexeme not in ('', '=')
  group by l.word_number, l.position_count, l.place, l.lexeme
  union all
  select f.word_number, f.position_count, f.place, f.form, f.kind
  from forms f
  where f.kind in ('run', 'bigram', 'character');
end
$$;

comment on function braid_store.token_lexemes(text[], text, boolean) is
  'Return the lexemes of words that stand between spaces, as tokenize() does. A run of unspaced script differs: it '
  'is one row, of kind run, for token_grams. Call this function once for each distinct word. position_count: how '
  'many positions the word takes. Punctuation takes none, and has no row.';
