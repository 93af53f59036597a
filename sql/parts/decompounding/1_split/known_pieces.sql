create or replace function braid_store.known_pieces(
  tenant_id int,
  collection braid_store.collections,
  pieces text[]
)
returns table (piece text, lexeme text, document_frequency bigint)
language plpgsql
stable
parallel unsafe
security invoker
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
begin
  if known_pieces.pieces = '{}' then
    return;
  end if;
  return query
  with stemmed as materialized (
    select l.piece, l.lexeme from braid_store.lexemes_of_pieces(known_pieces.collection, known_pieces.pieces) l
  )
  select s.piece, s.lexeme, i.document_frequency
  from stemmed s
  join braid_store.indexed_lexemes(known_pieces.tenant_id, known_pieces.collection,
                                   array(select s.lexeme from stemmed s)) i on i.lexeme = s.lexeme;
end
$$;

comment on function braid_store.known_pieces(int, braid_store.collections, text[]) is
  'Return those pieces of words that are words of the index themselves, with their lexemes and how many chunks have '
  'them. Stop words are none.';
