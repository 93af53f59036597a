create or replace function braid_store.find_compounds(
  tenant_id int,
  collection braid_store.collections,
  word text,
  lexeme text
)
returns table (written text, compound_lexeme text, document_frequency bigint, is_covered boolean)
language plpgsql
stable
parallel unsafe
security invoker
rows 5
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  c_least_length constant int := 4;
  c_longest_inflection constant int := 4;
  c_most_rows constant int := 2000;
  c_most_examined constant int := 12; -- at the beginning, and at the end
  c_letters constant text := E'^[a-z\\u00df-\\u00f6\\u00f8-\\u017f]+$';
  c_lexeme constant text := find_compounds.lexeme;
  c_length constant int := length(c_lexeme);
  c_links constant text[] := braid_store.linking_elements(find_compounds.collection.text_config);
begin
  return query
  with candidates as materialized (
    select e.lexeme, e.document_frequency, true as is_ending
    from braid_store.lexemes_with_ending(find_compounds.collection.id, c_lexeme) e
    where length(e.lexeme) >= c_length + c_least_length and e.lexeme ~ c_letters
    union all
    select p.lexeme, sum(p.document_frequency)::bigint, false
    from (
      select p.lexeme, p.document_frequency
      from braid_store.postings p
      where p.tenant_id = find_compounds.tenant_id and p.collection_id = find_compounds.collection.id
        and p.lexeme > c_lexeme and p.lexeme < c_lexeme || chr(1114111)
      limit c_most_rows
    ) p
    where length(p.lexeme) between c_length + c_least_length and 64 and p.lexeme ~ c_letters
    group by p.lexeme
    having sum(p.document_frequency) > 0
  ), examined as materialized (
    select c.*
    from (
      select c.*, row_number() over (partition by c.is_ending order by c.document_frequency desc, c.lexeme collate "C")
               as number
      from candidates c
      where find_compounds.collection.parts is null or c.lexeme <> all (coalesce((
        select braid_store.extend_hidden_lexemes(find_compounds.tenant_id, find_compounds.collection,
                                                 array_agg(n.lexeme))
        from candidates n), '{}'))
    ) c
    where c.number <= c_most_examined
  ), cuts as materialized (
    -- Before the ending is a word, and a linking element.
    select e.lexeme, e.document_frequency, e.is_ending,
           left(r.rest, length(r.rest) - length(l.link)) as first_piece, null as last_piece
    from examined e, unnest(c_links) l (link),
         lateral (select left(e.lexeme, length(e.lexeme) - c_length) as rest offset 0) r
    where e.is_ending and length(r.rest) >= length(l.link) + c_least_length
      and right(r.rest, length(l.link)) = l.link
    union all
    -- The beginning is a form of the word. After it are a linking element and another word.
    select b.lexeme, b.document_frequency, b.is_ending, left(b.lexeme, n), substr(b.lexeme, n + length(l.link) + 1)
    from examined b, unnest(c_links) l (link), generate_series(c_length, c_length + c_longest_inflection) n
    where not b.is_ending and n + length(l.link) + c_least_length <= length(b.lexeme)
      and substr(b.lexeme, n + 1, length(l.link)) = l.link
  ), stemmed as materialized (
    select v_pieces.pieces[l.word_number] as piece, l.lexeme
    from (select array(select distinct c.first_piece from cuts c)) v_pieces (pieces),
         braid_store.token_lexemes(v_pieces.pieces, find_compounds.collection.text_config,
                                   find_compounds.collection.fold_diacritics) l
    where l.kind = 'word'
  ), checked as materialized (
    -- The lexeme that must be in the index, too.
    select c.*, case when c.is_ending then s.lexeme when s.lexeme = c_lexeme then c.last_piece end as rest_lexeme
    from cuts c
    left join stemmed s on s.piece = c.first_piece
  )
  select coalesce(
           max(case when c.is_ending then left(c.lexeme, length(c.lexeme) - c_length) || find_compounds.word end),
           c.lexeme),
         c.lexeme, c.document_frequency, bool_or(i.lexeme is not null)
  from checked c
  left join braid_store.indexed_lexemes(find_compounds.tenant_id, find_compounds.collection,
                                        array(select c.rest_lexeme from checked c)) i on i.lexeme = c.rest_lexeme
  group by c.lexeme, c.document_frequency;
end
$$;

comment on function braid_store.find_compounds(int, braid_store.collections, text, text) is
  'Find indexed lexemes of compounds that end with a word, whose lexeme is lexeme, or begin with a form of it. The '
  'rest has at least four letters. is_covered: whether the rest is a word of the index, too, beside linking elements. '
  'written: the compound as it may be written. The 12 commonest lexemes with this ending, and the 12 commonest with '
  'this beginning, are examined.';
