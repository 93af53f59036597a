create or replace function braid_store.split_compound(tenant_id int, collection braid_store.collections, word text)
returns table (piece text, lexeme text, piece_frequency bigint)
language plpgsql
stable
parallel unsafe
security invoker
rows 2
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_least_length constant int := 4;
  c_word constant text := split_compound.word;
  c_links constant text[] := braid_store.linking_elements(split_compound.collection.text_config);
  v_pieces text[];
  v_lexemes text[];
  v_frequencies bigint[];
  v_split text[];
begin
  select array_agg(k.piece), array_agg(k.lexeme), array_agg(k.document_frequency)
  into v_pieces, v_lexemes, v_frequencies
  from braid_store.known_pieces(
         split_compound.tenant_id, split_compound.collection,
         array(select p.piece
               from generate_series(c_least_length, length(c_word) - c_least_length) n,
                    lateral (values (left(c_word, n)), (right(c_word, n))) p (piece)
               group by p.piece)) k;
  if v_pieces is null then
    return;
  end if;

  select array[b.piece, e.piece]
  into v_split
  from unnest(v_pieces, v_frequencies) b (piece, document_frequency),
       unnest(v_pieces, v_frequencies) e (piece, document_frequency)
  where starts_with(c_word, b.piece) and right(c_word, length(e.piece)) = e.piece
    and length(b.piece) + length(e.piece) <= length(c_word)
    and substr(c_word, length(b.piece) + 1, length(c_word) - length(b.piece) - length(e.piece)) = any (c_links)
  order by b.document_frequency::float8 * e.document_frequency desc, b.piece collate "C", e.piece collate "C"
  limit 1;

  if v_split is null then
    with middles as materialized (
      select b.piece as first_piece, e.piece as last_piece,
             b.document_frequency::float8 * e.document_frequency as product,
             substr(c_word, length(b.piece) + length(l.link) + 1,
                    length(c_word) - length(b.piece) - length(l.link) - length(r.link) - length(e.piece)) as piece
      from unnest(v_pieces, v_frequencies) b (piece, document_frequency),
           unnest(v_pieces, v_frequencies) e (piece, document_frequency),
           unnest(c_links) l (link), unnest(c_links) r (link)
      where starts_with(c_word, b.piece || l.link)
        and right(c_word, length(r.link) + length(e.piece)) = r.link || e.piece
        and length(b.piece) + length(l.link) + c_least_length + length(r.link) + length(e.piece) <= length(c_word)
    ), best as materialized (
      select m.first_piece, m.last_piece, k.*
      from middles m
      join braid_store.known_pieces(split_compound.tenant_id, split_compound.collection,
                                    array(select distinct m.piece from middles m)) k on k.piece = m.piece
      order by m.product * k.document_frequency desc, m.first_piece collate "C", m.piece collate "C",
        m.last_piece collate "C"
      limit 1
    )
    select array[b.first_piece, b.piece, b.last_piece], v_pieces || b.piece, v_lexemes || b.lexeme,
           v_frequencies || b.document_frequency
    into v_split, v_pieces, v_lexemes, v_frequencies
    from best b;
  end if;
  return query
  select s.piece, k.lexeme, k.document_frequency
  from unnest(v_split) with ordinality s (piece, place),
       lateral (
         select k.lexeme, k.document_frequency
         from unnest(v_pieces, v_lexemes, v_frequencies) k (piece, lexeme, document_frequency)
         where k.piece = s.piece
         limit 1
       ) k
  order by s.place;
end
$$;

comment on function braid_store.split_compound(int, braid_store.collections, text) is
  'Split a lower-case word into two or three words of the index, each of at least four letters, with linking elements '
  'between them. Two pieces are preferred to three, then the pieces that most chunks have, by their geometric mean '
  '(Koehn & Knight 2003, "Empirical Methods for Compound Splitting"). Return no rows if the word cannot be split so.';
