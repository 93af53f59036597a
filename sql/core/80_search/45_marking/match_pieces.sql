create or replace function braid_store.match_pieces(
  pieces text[],
  lexemes text[],
  prefixes text[],
  text_config text,
  fold_diacritics boolean
)
returns table (piece_number int, lexeme text, term int)
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
begin
  return query
  with terms as materialized (
    select row_number() over ()::int as term, t.lexeme collate "C" as lexeme, t.is_prefix
    from (
      select distinct l.lexeme, false as is_prefix from unnest(match_pieces.lexemes) as l (lexeme)
      union all
      select distinct p.lexeme, true from unnest(match_pieces.prefixes) as p (lexeme) where p.lexeme <> ''
    ) as t
  ), tokens as materialized (
    select l.word_number as piece_number, l.lexeme collate "C" as lexeme, l.kind,
      row_number() over ()::int as token_number
    from braid_store.token_lexemes(match_pieces.pieces, match_pieces.text_config, match_pieces.fold_diacritics) l
    where l.lexeme is not null
  ), piece_lexemes as materialized (
    select t.piece_number, t.lexeme from tokens t where t.kind <> 'run'
    union
    select t.piece_number, g.gram
    from tokens t
    join braid_store.token_grams(array(select case when t.kind = 'run' then t.lexeme end from tokens t
                                       order by t.token_number)) g on g.token_number = t.token_number
  )
  select p.piece_number, p.lexeme, t.term
  from terms t
  join piece_lexemes p on p.lexeme = t.lexeme
  where not t.is_prefix
  union
  select p.piece_number, p.lexeme, t.term
  from (select from terms t where t.is_prefix limit 1) as o -- most queries have no prefix
  cross join piece_lexemes p
  join terms t on starts_with(p.lexeme, t.lexeme)
  where t.is_prefix;
end
$$;

comment on function braid_store.match_pieces(text[], text[], text[], text, boolean) is
  'Find which pieces of words match which lexemes and prefixes. A piece matches each of its lexemes, and each prefix '
  'of one of its lexemes. piece_number: the place of the piece in pieces. lexeme: the lexeme of the piece that '
  'matched. term: a number that stands for one of the given lexemes and prefixes.';
