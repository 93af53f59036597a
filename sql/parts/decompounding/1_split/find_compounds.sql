create or replace function braid_store.find_compounds(
  tenant_id int,
  collection braid_store.collections,
  words text[],
  lexemes text[],
  long_length int
)
returns table (word_lexeme text, written text, compound_lexeme text, document_frequency bigint, is_covered boolean)
language plpgsql
stable
parallel unsafe
security invoker
rows 20
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_least_length constant int := 4;
  c_longest_inflection constant int := 4;
  c_most_examined constant int := 8; -- at the beginning, and at the end
  c_letters constant text := E'^[a-z\\u00df-\\u00f6\\u00f8-\\u017f]+$';
  c_links constant text[] := braid_store.linking_elements(find_compounds.collection.text_config);
  v_words text[]; -- lexemes of the words; below, what was found for them
  v_found text[];
  v_frequencies bigint[];
  v_are_endings boolean[];
  v_covered text[];
begin
  with candidates as materialized (
    select n.lexeme as word_lexeme, n.longer_lexeme as lexeme, n.document_frequency, n.is_ending
    from braid_store.longer_lexemes(find_compounds.collection.id, find_compounds.lexemes) n
    where n.longer_lexeme ~ c_letters
  )
  select array_agg(c.word_lexeme), array_agg(c.lexeme), array_agg(c.document_frequency), array_agg(c.is_ending)
  into v_words, v_found, v_frequencies, v_are_endings
  from (
    select c.*, row_number() over (partition by c.word_lexeme, c.is_ending
                                   order by c.document_frequency desc, c.lexeme collate "C") as number
    from candidates c
    where find_compounds.collection.parts is null or c.lexeme <> all (coalesce((
      select braid_store.extend_hidden_lexemes(find_compounds.tenant_id, find_compounds.collection,
                                               array_agg(n.lexeme))
      from candidates n), '{}'))
  ) c
  where c.number <= c_most_examined;

  if exists (select from unnest(v_words) w where length(w) < find_compounds.long_length) then
    with examined as (
      select c.*, length(c.word_lexeme) as length
      from unnest(v_words, v_found, v_are_endings) c (word_lexeme, lexeme, is_ending)
      where length(c.word_lexeme) < find_compounds.long_length
    ), cuts as materialized (
      -- Before the ending is a word, and a linking element.
      select e.*, left(r.rest, length(r.rest) - length(l.link)) as first_piece, null as last_piece
      from examined e, unnest(c_links) l (link),
           lateral (select left(e.lexeme, length(e.lexeme) - e.length) as rest offset 0) r
      where e.is_ending and length(r.rest) >= length(l.link) + c_least_length
        and right(r.rest, length(l.link)) = l.link
      union all
      -- The beginning is a form of the word. After it are a linking element and another word.
      select b.*, left(b.lexeme, n), substr(b.lexeme, n + length(l.link) + 1)
      from examined b, unnest(c_links) l (link), generate_series(b.length, b.length + c_longest_inflection) n
      where not b.is_ending and n + length(l.link) + c_least_length <= length(b.lexeme)
        and substr(b.lexeme, n + 1, length(l.link)) = l.link
    ), checked as materialized (
      -- The lexeme that must be in the index, too.
      select c.*, case when c.is_ending then s.lexeme when s.lexeme = c.word_lexeme then c.last_piece end as rest_lexeme
      from cuts c
      join braid_store.lexemes_of_pieces(find_compounds.collection, array(select distinct c.first_piece from cuts c)) s
        on s.piece = c.first_piece
    )
    select array_agg(c.word_lexeme || ' ' || c.lexeme)
    into v_covered
    from checked c
    join braid_store.indexed_lexemes(find_compounds.tenant_id, find_compounds.collection,
                                     array(select c.rest_lexeme from checked c)) i on i.lexeme = c.rest_lexeme;
  end if;
  return query
  select f.word_lexeme,
         coalesce(
           max(case when f.is_ending
                    then left(f.lexeme, length(f.lexeme) - length(f.word_lexeme))
                         || find_compounds.words[array_position(find_compounds.lexemes, f.word_lexeme)] end),
           f.lexeme),
         f.lexeme, max(f.document_frequency),
         case when length(f.word_lexeme) < find_compounds.long_length
              then coalesce(f.word_lexeme || ' ' || f.lexeme = any (v_covered), false) end
  from unnest(v_words, v_found, v_frequencies, v_are_endings) f (word_lexeme, lexeme, document_frequency, is_ending)
  group by f.word_lexeme, f.lexeme;
end
$$;

comment on function braid_store.find_compounds(int, braid_store.collections, text[], text[], int) is
  'Find for each word, whose lexeme is in lexemes, the indexed lexemes of compounds that end with it or begin with a '
  'form of it. The rest has at least four letters. is_covered: whether the rest is a word of the index, too, beside '
  'linking elements; null for lexemes of long_length letters and more. written: the compound as it may be written. '
  'For each word, the 8 commonest lexemes with this ending, and the 8 commonest with this beginning, are examined.';
