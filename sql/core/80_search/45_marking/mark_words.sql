create or replace function braid_store.mark_words(
  words text[],
  lexemes text[],
  prefixes text[],
  text_config text,
  fold_diacritics boolean
)
returns table (
  word_number int,
  piece_number int,
  segment_number int,
  before text,
  segment text,
  after text,
  is_step boolean,
  terms int[]
)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  -- Punctuation around a word is not marked. Each list leaves out characters that can begin or end a word (.NET and
  -- $19, C++ and 50%).
  c_leading constant text := E'!"()*,;<=>?[]^`{|}~''-/\\:%+&¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–';
  c_trailing constant text := E'!"()*,;<=>?[]^`{|}~''-/\\:.@&$¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–';
  -- A cluster is a letter with its vowel signs, tone marks and similar marks. A tag must not come between them.
  c_cluster constant text :=
    E'.[\\u0300-\\u036f\\u0e31\\u0e33-\\u0e3a\\u0e45\\u0e47-\\u0e4e\\u0eb1\\u0eb3-\\u0ebc\\u0ec8-\\u0ece'
    '\\u102b-\\u103e\\u1056-\\u1059'
    '\\u1160-\\u11ff\\u17b4-\\u17d3\\u3099\\u309a\\ud7b0-\\ud7ff\\uff9e\\uff9f]*';
begin
  return query
  with pieces as materialized (
    select p.* from braid_store.word_pieces(mark_words.words) p
  ), vocabulary as materialized (
    select d.piece, d.script, row_number() over ()::int as piece_id
    from (select distinct p.piece collate "C" as piece, p.script from pieces p where p.piece <> '') as d
  ), occurrences as materialized (
    -- A piece may be very long, so from here on its id stands for it.
    select p.word_number, p.piece_number, p.before, p.after, v.piece_id
    from pieces p
    left join vocabulary v on v.piece = p.piece and v.script = p.script
  ), matches as materialized (
    select m.piece_number as piece_id, m.lexeme, m.term
    from braid_store.match_pieces(array(select v.piece from vocabulary v order by v.piece_id), mark_words.lexemes,
                                  mark_words.prefixes, mark_words.text_config, mark_words.fold_diacritics) m
  ), matched as materialized (
    select m.piece_id, array_agg(distinct m.term) as terms from matches m group by m.piece_id
  ),
  -- In scripts without spaces, and in Hangul, tags are put around the letters of matching characters and bigrams. A
  -- cluster is a letter with its marks; NFKC may turn it into several characters.
  clusters as materialized (
    select v.piece_id, v.script, c.cluster_number::int as cluster_number, c.cluster[1] as cluster
    from vocabulary v
    cross join lateral regexp_matches(v.piece, c_cluster, 'g') with ordinality as c (cluster, cluster_number)
    where v.script = 'unspaced' or v.script = 'hangul' and v.piece_id in (select m.piece_id from matched m)
  ), characters as materialized (
    select c.piece_id, c.cluster_number, c.character,
      lead(c.cluster_number) over next_character as next_cluster_number,
      c.character || lead(c.character) over next_character as bigram
    from (
      select u.piece_id, u.cluster_number, n.character, n.ordinality
      from clusters u
      join matched m on m.piece_id = u.piece_id
      cross join lateral string_to_table(normalize(u.cluster, nfkc), null) with ordinality as n (character, ordinality)
    ) as c
    window next_character as (partition by c.piece_id order by c.cluster_number, c.ordinality)
  ), cluster_terms as materialized (
    select h.piece_id, h.cluster_number, array_agg(distinct h.term) as terms
    from (
      select c.piece_id, c.cluster_number, m.term
      from characters c
      join matches m on m.piece_id = c.piece_id and m.lexeme = c.character
      union all
      select c.piece_id, unnest(array[c.cluster_number, c.next_cluster_number]), m.term
      from characters c
      join matches m on m.piece_id = c.piece_id and m.lexeme = c.bigram
      union all
      -- A lexeme of three or more letters is a whole word of Hangul, so all its letters are marked.
      select c.piece_id, c.cluster_number, m.term
      from clusters c
      join matches m on m.piece_id = c.piece_id and length(m.lexeme) > 2
    ) as h
    group by h.piece_id, h.cluster_number
  ), segments as materialized (
    -- A matching piece is one segment, without the punctuation around it.
    select v.piece_id, 1 as segment_number, left(v.piece, length(v.piece) - length(h.head)) as before,
      t.core as segment,
      right(v.piece, length(h.head) - length(t.core)) as after, true as is_step, m.terms
    from vocabulary v
    join matched m on m.piece_id = v.piece_id
    cross join lateral (select ltrim(v.piece, c_leading) as head) as h
    cross join lateral (
      select case when rtrim(h.head, c_trailing) <> '' then rtrim(h.head, c_trailing) else h.head end as core
    ) as t
    where v.script = 'spaced'
    union all
    -- A piece that does not match is one unchanged segment.
    select v.piece_id, 1, '', v.piece, '', true, null
    from vocabulary v
    where v.script <> 'unspaced' and not exists (select from matched m where m.piece_id = v.piece_id)
    union all
    -- In a script without spaces each letter is a segment. In Hangul this holds for a matching piece only, and the
    -- letters of a word count as one step together.
    select c.piece_id, c.cluster_number, '', c.cluster, '', c.script = 'unspaced' or c.cluster_number = 1, t.terms
    from clusters c
    left join cluster_terms t on t.piece_id = c.piece_id and t.cluster_number = c.cluster_number
  ), counts as materialized (
    select s.piece_id, max(s.segment_number) as segment_count from segments s group by s.piece_id
  )
  select o.word_number, o.piece_number, coalesce(s.segment_number, 1),
    case when s.segment_number > 1 then '' else o.before end || coalesce(s.before, ''), coalesce(s.segment, ''),
    coalesce(s.after, '') || case when s.segment_number < c.segment_count then '' else o.after end,
    coalesce(s.is_step, false), s.terms
  from occurrences o
  left join segments s on s.piece_id = o.piece_id
  left join counts c on c.piece_id = o.piece_id;
end
$$;

comment on function braid_store.mark_words(text[], text[], text[], text, boolean) is
  'Cut words into the segments that a snippet marks, and tell which of the lexemes and prefixes each segment '
  'matches. A word is cut into pieces of one script, and a piece into segments. A compound is one segment; in '
  'scripts without spaces, and in matching Hangul, each letter is one. terms: the numbers of the lexemes and '
  'prefixes that the segment matches; null if none. is_step: whether the segment counts as a word for the length of '
  'a passage. Joining before || segment || after of all segments in order gives the word again.';
