-- A sentence ends at . ! ? … before white space, at the CJK, Indic and other equivalents of these, and at a line's end.
-- The finer cuts are made only in pieces that are still too long, so a text without punctuation costs no more. Every
-- pattern matches wherever there is text: put together, the pieces are the whole content but for white space.
create or replace function braid_store.split_pieces(content text, chunk_tokens float8)
returns table (piece text, cost float8)
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with sentences as materialized (
    select s.number, s.match[1] as piece, braid_store.token_cost(s.match[1]) as cost
    from regexp_matches(
           split_pieces.content,
           -- Text, with points that text follows (3.5, a.b), up to a sentence's or line's end.
           format(E'(?:[^%1$s%2$s\\n]|[%1$s][%1$s%3$s]*[^\\s%1$s%2$s%3$s])*'
                  '(?:[%1$s][%1$s%3$s]*(?:\\s+|$)|(?:[%1$s][%1$s%3$s]*)?[%2$s][%1$s%2$s%3$s]*\\s*|\\n\\s*|$)',
                  '.!?…', '。！？｡।॥؟۔։።', E'"''”’」』）)\\]'),
           'g') with ordinality s (match, number)
    where s.match[1] <> ''
  ), words as materialized (
    select g.number, g.group_number, g.piece, braid_store.token_cost(g.piece) as cost
    from (
      -- Words in groups of about 40 characters, so that fewer pieces need an estimate.
      select w.number, w.group_number, string_agg(w.word, '' order by w.word_number) as piece
      from (
        select s.number, m.word_number, m.match[1] as word,
               sum(length(m.match[1])) over (partition by s.number order by m.word_number) / 40 as group_number
        from sentences s
        cross join lateral regexp_matches(s.piece, E'\\S+\\s*', 'g') with ordinality m (match, word_number)
        where s.cost > split_pieces.chunk_tokens
      ) w
      group by w.number, w.group_number
    ) g
  ), characters as (
    select w.number, w.group_number, m.part_number, m.match[1] as piece,
           braid_store.token_cost(m.match[1]) as cost
    from words w
    cross join lateral regexp_matches(
           w.piece, case when split_pieces.chunk_tokens < 60 then '.' else '.{1,16}' end, 'g'
         ) with ordinality m (match, part_number)
    where w.cost > split_pieces.chunk_tokens
  )
  select p.piece, p.cost
  from (
    select s.number, 0 as group_number, 0 as part_number, s.piece, s.cost
    from sentences s where s.cost <= split_pieces.chunk_tokens
    union all
    select w.number, w.group_number, 0, w.piece, w.cost from words w where w.cost <= split_pieces.chunk_tokens
    union all
    select c.number, c.group_number, c.part_number, c.piece, c.cost from characters c
  ) p
  order by p.number, p.group_number, p.part_number
$$;
comment on function braid_store.split_pieces(text, float8) is
  'Cuts a text into small pieces, in order, each with its cost in estimated tokens. Pieces are sentences. A sentence '
  'that costs more than chunk_tokens is cut into groups of words, and a group that still costs more into runs of '
  'characters.';
