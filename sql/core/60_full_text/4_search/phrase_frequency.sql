create or replace function braid_store.phrase_frequency(
  phrase text,
  lexemes text[],
  position_ends smallint[],
  positions smallint[],
  title_frequencies smallint[],
  out frequency int,
  out title_frequency int
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_words text[] := string_to_array(phrase_frequency.phrase, ' ');
begin
  -- For each word and position, compute where the phrase would have to start. The phrase starts at a position that all
  -- words agree on. It cannot begin in the title and end in the body, because their positions are apart; only the last
  -- possible position may be shared. A lexeme's positions in the title come first.
  select count(*), count(*) filter (where s.is_in_title)
  into frequency, title_frequency
  from (
    select o.is_in_title
    from unnest(v_words) with ordinality w (lexeme, number),
         lateral (select width_bucket(w.lexeme collate "C", phrase_frequency.lexemes) as place offset 0) p,
         lateral (
           select o.position - w.number as start,
                  o.number <= coalesce(phrase_frequency.title_frequencies[p.place], 0) as is_in_title
           from unnest(phrase_frequency.positions[coalesce(phrase_frequency.position_ends[p.place - 1], 0) + 1
                                                  : phrase_frequency.position_ends[p.place]])
                  with ordinality o (position, number)
           offset 0
         ) o
    where phrase_frequency.lexemes[p.place] = w.lexeme
    group by o.start, o.is_in_title
    having bit_or(1 << w.number::int) = (2 << cardinality(v_words)) - 2
  ) s;
end
$$;

comment on function braid_store.phrase_frequency(text, text[], smallint[], smallint[], smallint[]) is
  'Count how often a phrase, given as returned by braid_store.phrase_lexemes, occurs in a chunk, given by its '
  'forward row; and how often in the title. The count never exceeds the frequency of any word of the phrase, so a '
  'word''s bound is also a bound of the phrase.';
