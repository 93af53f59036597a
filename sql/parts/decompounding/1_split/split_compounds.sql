create or replace function braid_store.split_compounds(tenant_id int, collection braid_store.collections, words text[])
returns table (word text, piece text, lexeme text, piece_frequency bigint)
language plpgsql
stable
parallel unsafe
security invoker
rows 5
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  c_least_length constant int := 4;
  c_links constant text[] := braid_store.linking_elements(split_compounds.collection.text_config);
begin
  return query
  with known as materialized (
    select k.*
    from braid_store.known_pieces(
           split_compounds.tenant_id, split_compounds.collection,
           array(select p.piece
                 from unnest(split_compounds.words) w (word),
                      generate_series(c_least_length, length(w.word) - c_least_length) n,
                      lateral (values (left(w.word, n)), (right(w.word, n))) p (piece)
                 group by p.piece)) k
  ), ends as materialized (
    select w.word, b.piece as first_piece, e.piece as last_piece,
           b.document_frequency::float8 * e.document_frequency as product,
           substr(w.word, length(b.piece) + 1, length(w.word) - length(b.piece) - length(e.piece)) as rest
    from unnest(split_compounds.words) w (word), known b, known e
    where starts_with(w.word, b.piece) and right(w.word, length(e.piece)) = e.piece
      and length(b.piece) + length(e.piece) <= length(w.word)
  ), pairs as materialized (
    select distinct on (n.word) n.word, array[n.first_piece, n.last_piece] as pieces
    from ends n
    where n.rest = any (c_links)
    order by n.word, n.product desc, n.first_piece collate "C", n.last_piece collate "C"
  ), middles as materialized (
    select n.*, substr(n.rest, length(l.link) + 1, length(n.rest) - length(l.link) - length(r.link)) as piece
    from ends n, unnest(c_links) l (link), unnest(c_links) r (link)
    where n.word not in (select p.word from pairs p)
      and length(n.rest) >= length(l.link) + c_least_length + length(r.link)
      and starts_with(n.rest, l.link) and right(n.rest, length(r.link)) = r.link
  ), known_middles as materialized (
    select k.*
    from braid_store.known_pieces(split_compounds.tenant_id, split_compounds.collection,
                                  array(select distinct m.piece from middles m)) k
  ), splits as (
    select p.* from pairs p
    union all
    (select distinct on (m.word) m.word, array[m.first_piece, m.piece, m.last_piece]
     from middles m
     join known_middles k on k.piece = m.piece
     order by m.word, m.product * k.document_frequency desc, m.first_piece collate "C", m.piece collate "C",
       m.last_piece collate "C")
  )
  select distinct on (s.word, u.place) s.word, u.piece, k.lexeme, k.document_frequency
  from splits s, unnest(s.pieces) with ordinality u (piece, place),
       (select * from known union all select * from known_middles) k
  where k.piece = u.piece
  order by s.word, u.place;
end
$$;

comment on function braid_store.split_compounds(int, braid_store.collections, text[]) is
  'Split lower-case words into two or three words of the index, each of at least four letters, with linking elements '
  'between them. Two pieces are preferred to three, then the pieces that most chunks have, by their geometric mean '
  '(Koehn & Knight 2003, "Empirical Methods for Compound Splitting"). Words that cannot be split so have no rows.';
