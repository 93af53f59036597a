create or replace function braid_store.mark_words(
  words text[],
  lexemes text[],
  prefixes text[],
  text_config text,
  fold_diacritics boolean
)
returns table (
  word_number int,
  segment_number bigint,
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
declare
  -- What surrounds a word; the signs that belong to one (.NET, $19, C++, 50%) are not among them.
  v_leading constant text := E'!"()*,;<=>?[]^`{|}~''-/\\:%+&¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–';
  v_trailing constant text := E'!"()*,;<=>?[]^`{|}~''-/\\:.@&$¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–';
  -- Vowel signs, tone marks and the like, which no mark separates from their letter.
  v_cluster constant text :=
    E'.[\\u0300-\\u036f\\u0e31\\u0e33-\\u0e3a\\u0e45\\u0e47-\\u0e4e\\u0eb1\\u0eb3-\\u0ebc\\u0ec8-\\u0ece\\u102b-\\u103e\\u1056-\\u1059'
    '\\u1160-\\u11ff\\u17b4-\\u17d3\\u3099\\u309a\\ud7b0-\\ud7ff\\uff9e\\uff9f]*';
begin
  return query
  with terms as materialized (
    select row_number() over ()::int as term, t.lexeme collate "C" as lexeme, t.is_prefix
    from (
      select distinct l.lexeme, false as is_prefix from unnest(mark_words.lexemes) as l (lexeme)
      union all
      select distinct p.lexeme, true from unnest(mark_words.prefixes) as p (lexeme) where p.lexeme <> ''
    ) as t
  ), pieces as materialized (
    select p.* from braid_store.word_pieces(mark_words.words) p
  ), vocabulary as materialized (
    select d.piece, d.script, row_number() over ()::int as piece_id
    from (select distinct p.piece collate "C" as piece, p.script from pieces p where p.piece <> '') as d
  ), lexemes as materialized (
    select l.word_number as piece_id, l.lexeme collate "C" as lexeme, l.kind, row_number() over ()::int as lexeme_number
    from braid_store.token_lexemes(array(select v.piece from vocabulary v order by v.piece_id), mark_words.text_config,
                                   mark_words.fold_diacritics) l
    where l.lexeme is not null
  ), found as materialized (
    select l.piece_id, l.lexeme from lexemes l where l.kind <> 'run'
    union
    select l.piece_id, g.gram
    from lexemes l
    join braid_store.token_grams(array(select case when l.kind = 'run' then l.lexeme end from lexemes l
                                       order by l.lexeme_number)) g on g.token_number = l.lexeme_number
  ), matches as materialized (
    select f.piece_id, f.lexeme, t.term
    from terms t
    join found f on f.lexeme = t.lexeme
    where not t.is_prefix
    union
    select f.piece_id, f.lexeme, t.term
    from (select from terms t where t.is_prefix limit 1) as o
    cross join found f
    join terms t on starts_with(f.lexeme, t.lexeme)
    where t.is_prefix
  ), occurrences as materialized (
    -- From here a piece, which may be very long, is its number.
    select p.word_number, p.piece_number, p.before, p.after, v.piece_id
    from pieces p
    left join vocabulary v on v.piece = p.piece and v.script = p.script
  ), matched as materialized (
    select m.piece_id, array_agg(distinct m.term) as terms from matches m group by m.piece_id
  ), clusters as materialized (
    select v.piece_id, v.script, c.cluster_number, c.cluster[1] as cluster
    from vocabulary v
    cross join lateral regexp_matches(v.piece, v_cluster, 'g') with ordinality as c (cluster, cluster_number)
    where v.script = 'unspaced' or v.script = 'hangul' and v.piece_id in (select m.piece_id from matched m)
  ), characters as materialized (
    select c.piece_id, c.cluster_number, c.character,
      lead(c.cluster_number) over (partition by c.piece_id order by c.cluster_number, c.ordinality) as next_cluster_number,
      c.character || lead(c.character) over (partition by c.piece_id order by c.cluster_number, c.ordinality) as bigram
    from (
      select u.piece_id, u.cluster_number, n.character, n.ordinality
      from clusters u
      join matched m on m.piece_id = u.piece_id
      cross join lateral string_to_table(normalize(u.cluster, nfkc), null) with ordinality as n (character, ordinality)
    ) as c
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
      -- A word of Hangul that is longer.
      select c.piece_id, c.cluster_number, m.term
      from clusters c
      join matches m on m.piece_id = c.piece_id and length(m.lexeme) > 2
    ) as h
    group by h.piece_id, h.cluster_number
  ), segments as materialized (
    select v.piece_id, 1::bigint as number, left(v.piece, length(v.piece) - length(t.head)) as before, t.core as segment,
      right(v.piece, length(t.head) - length(t.core)) as after, true as is_step, m.terms
    from vocabulary v
    join matched m on m.piece_id = v.piece_id
    cross join lateral (select ltrim(v.piece, v_leading) as head) as h
    cross join lateral (
      select h.head, case when rtrim(h.head, v_trailing) <> '' then rtrim(h.head, v_trailing) else h.head end as core
    ) as t
    where v.script = 'spaced'
    union all
    select v.piece_id, 1, '', v.piece, '', true, null
    from vocabulary v
    where v.script <> 'unspaced' and not exists (select from matched m where m.piece_id = v.piece_id)
    union all
    select c.piece_id, c.cluster_number, '', c.cluster, '', c.script = 'unspaced' or c.cluster_number = 1, t.terms
    from clusters c
    left join cluster_terms t on t.piece_id = c.piece_id and t.cluster_number = c.cluster_number
  ), counts as materialized (
    select s.piece_id, max(s.number) as segment_count from segments s group by s.piece_id
  )
  select o.word_number, (o.piece_number - 1) * 4294967296 + coalesce(s.number, 1),
    case when s.number > 1 then '' else o.before end || coalesce(s.before, ''), coalesce(s.segment, ''),
    coalesce(s.after, '') || case when s.number < c.segment_count then '' else o.after end,
    coalesce(s.is_step, false), s.terms
  from occurrences o
  left join segments s on s.piece_id = o.piece_id
  left join counts c on c.piece_id = o.piece_id;
end
$$;

comment on function braid_store.mark_words(text[], text[], text[], text, boolean) is
  'Cuts words into segments and tells which of the lexemes and prefixes (terms, by number) each matches; null: none. A '
  'compound is one segment, a character of unspaced script or of matched Hangul too. is_step: it counts as a word of a '
  'passage. before || segment || after, by segment_number (of the first: 1), are the word.';
