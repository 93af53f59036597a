create or replace function braid_store.token_occurrences(texts text[], text_config text, fold_diacritics boolean)
returns table (lexeme text, kind text, is_counted boolean, occurrences bigint[])
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with split_texts as materialized (
    -- Texts are split at ASCII white space only. Other separators are found in the distinct words, which is less work
    -- than in every text. A few spaces may remain in a row: each extra space yields an empty word, which takes no
    -- position.
    select t.text_number,
      string_to_array(
        btrim(replace(replace(replace(replace(t.text, repeat(' ', 64), ' '), repeat(' ', 8), ' '), '  ', ' '), '  ',
          ' ')),
        ' ') as words
    from (
      select t.text_number, replace(replace(replace(t.text, E'\n', ' '), E'\r', ' '), E'\t', ' ') as text
      from (select generate_subscripts(token_occurrences.texts, 1) as text_number,
                   unnest(token_occurrences.texts) as text) as t
    ) as t
  ), vocabulary as materialized (
    select w.word, row_number() over ()::int as word_number, array_agg(w.place) as places
    from (
      select (s.text_number::bigint << braid_store.position_bits()) + generate_subscripts(s.words, 1) as place,
        unnest(s.words) collate "C" as word
      from split_texts s
    ) as w
    group by w.word
  ), lexemes as materialized (
    select l.*
    from braid_store.token_lexemes(
      array(select v.word from vocabulary v), -- A materialised query is read in the order of its rows.
      token_occurrences.text_config, token_occurrences.fold_diacritics
    ) as l
  ), shifts as materialized (
    -- A word that takes no position, or several, shifts the positions after it. Few words do, so the other words look
    -- up their shift by binary search, which needs no sort.
    select array_agg(s.place order by s.place) as places, array_agg(s.shift order by s.place) as shifts
    from (
      select m.place, (sum(m.position_count - 1) over (partition by m.place >> braid_store.position_bits()
        order by m.place))::int as shift
      from (
        select unnest(v.places) + 1 as place, l.position_count
        from (
          select distinct l.word_number, l.position_count from lexemes l where l.position_count <> 1
        ) as l
        join vocabulary v on v.word_number = l.word_number
        union all
        select t.text_number::bigint << braid_store.position_bits(), 1
        from generate_subscripts(token_occurrences.texts, 1) as t (text_number)
        where exists (select from lexemes l where l.position_count <> 1)
      ) as m
    ) as s
    having count(*) > 0
  ), words as materialized (
    select v.word_number,
      case when (select s.places from shifts s) is null then v.places
      else array(
        select o.place + (select s.shifts from shifts s)[width_bucket(o.place, (select s.places from shifts s))]
        from (select unnest(v.places) as place) as o
      ) end as occurrences
    from vocabulary v
  ), runs as (
    select l.lexeme as run, unnest(w.occurrences) + l.place as start
    from lexemes l
    join words w on w.word_number = l.word_number
    where l.kind = 'run'
  ), characters as (
    -- Characters are put in the order of their places, because a gram may come from several runs.
    select r.is_alone, r.start + generate_series(0, cardinality(r.characters) - 1) as occurrence,
      unnest(r.characters) collate "C" as character, unnest(r.characters[2:]) collate "C" as next_character
    from (
      select length(r.run) = 1 as is_alone, string_to_array(r.run, null) as characters, r.start
      from runs r
      offset 0 -- so that each run is split only once
    ) as r
    order by occurrence
  )
  select l.lexeme, l.kind, l.is_counted,
    -- Most words take one position, at which they may have many lexemes.
    case when l.place = 0 then w.occurrences else array(select unnest(w.occurrences) + l.place) end
  from lexemes l
  join words w on w.word_number = l.word_number
  where l.kind <> 'run'
  union all
  -- This is the result of token_grams, grouped by lexeme: a text of unspaced script has a gram for each character.
  select g.character || coalesce(g.next_character, ''), g.kind, g.kind <> 'bigram', g.occurrences
  from (
    select c.character, c.next_character,
      case when grouping(c.next_character) = 0 then 'bigram' when c.is_alone then 'word' else 'character' end as kind,
      array_agg(c.occurrence) as occurrences
    from characters c
    group by grouping sets ((c.character, c.is_alone), (c.character, c.next_character))
    having grouping(c.next_character) = 1 or c.next_character is not null
  ) as g;
end
$$;

comment on function braid_store.token_occurrences(text[], text, boolean) is
  'Return what tokenize() returns, grouped: one row for each lexeme of a distinct word and for each gram of unspaced '
  'script. occurrences: where the lexeme stands, ascending; see braid_store.position_bits. is_counted: true in exactly '
  'one row for each position with a lexeme that is no stop word, so these rows give a text''s length.';
