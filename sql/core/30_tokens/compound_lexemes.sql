create or replace function braid_store.compound_lexemes(words text[], text_config text, fold_diacritics boolean)
returns table (word_number int, position_count int, place int, lexeme text, kind text, is_counted boolean)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with forms as materialized (
    select f.* from braid_store.token_forms(compound_lexemes.words) as f
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
      compound_lexemes.text_config
    ) as s
  ), lexemes as materialized (
    select l.word_number, l.position_count, l.place, l.lexeme, min(l.kind) as kind
    from (
      select d.word_number, d.position_count, d.place,
        case when d.kind = 'stop_word' then '=' else '' end
        || case when octet_length(d.lexeme) <= 254 then d.lexeme else left(d.lexeme, 48) || '~' || md5(d.lexeme) end
          as lexeme,
        d.kind
      from (
        select n.word_number, n.position_count, n.place, n.kind,
          case
            when compound_lexemes.fold_diacritics and octet_length(n.stem) > length(n.stem)
              and n.stem ~ braid_store.foldable_letters()
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
    where f.kind in ('run', 'bigram', 'character')
  )
  select l.word_number, l.position_count, l.place, l.lexeme, l.kind,
    -- The window is partitioned by one number, because rows with equal keys then need no second comparison in the sort.
    l.kind not in ('stop_word', 'run')
      and count(*) filter (where l.kind not in ('stop_word', 'run'))
            over (partition by l.word_number::bigint << 32 | l.place rows unbounded preceding) = 1
  from lexemes l
  union all
  select w.word_number::int, 0, 0, null, null, false
  from unnest(compound_lexemes.words) with ordinality as w (word, word_number)
  where w.word is not null and w.word_number not in (select l.word_number from lexemes l);
end
$$;

comment on function braid_store.compound_lexemes(text[], text, boolean) is
  'Do the work of braid_store.token_lexemes for words that may be anything but plain words: they are scanned, and '
  'compounds are split. Nulls are skipped.';
