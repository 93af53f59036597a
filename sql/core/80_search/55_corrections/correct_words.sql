create or replace function braid_store.correct_words(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  absent_terms text[]
)
returns table (word text, correction text, lexeme text, corrected_lexeme text)
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
  -- The limit exists because a correction can take 100 ms.
  c_max_words constant int := 5;
begin
  return query
  with tokens as materialized (
    select c.*, count(*) over (partition by c.clause_number, c.position) as place_size
    from unnest(correct_words.tokens) c
  ), absent as materialized (
    -- Compounds and their parts are not corrected.
    select distinct on (c.lexeme) c.lexeme, c.clause_number, c.position,
           coalesce(btrim(c.written, E'!"()*,;<=>?[]^`{|}~''-/\\:.@&$¡§«»¿،؛؟—―‘’‚“”„†‡•…‹›–+%'), c.lexeme) as word
    from tokens c
    join (select distinct unnest(correct_words.absent_terms) as lexeme) a on a.lexeme = c.lexeme
    where c.kind = 'word' and c.token_kind = 'word' and c.occurrence <> 'must_not' and c.place_size = 1
    order by c.lexeme, c.clause_number, c.position
  )
  select left(a.word, 100), c.correction, a.lexeme, c.corrected_lexeme
  from (select a.* from absent a order by a.clause_number, a.position limit c_max_words) a,
       lateral (
         select w.* from braid_store.closest_word(correct_words.tenant_id, correct_words.collection, a.lexeme, a.word) w
         offset 0
       ) c
  where c.correction is not null
  order by a.clause_number, a.position;
end
$$;

comment on function braid_store.correct_words(int, braid_store.collections, braid_store.query_token[], text[]) is
  'Suggest corrections for the first five plain words of a query with lexemes in absent_terms. lexeme is the lexeme '
  'in the query; corrected_lexeme is the lexeme that was probably meant. word and correction are the same two as '
  'words to show.';
