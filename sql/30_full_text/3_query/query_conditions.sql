create or replace function braid_store.query_conditions(query_text text, text_config text, fold_diacritics boolean)
returns braid_store.query_condition[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- Each chunk that a leg looks at is tested for each: 1 to 30 µs.
  c_most constant int := 128;
begin
  return array(
    select row(c.group_number, c.occurrence = 'must_not', c.kind = 'prefix', array_agg(c.lexeme order by c.position, c.lexeme),
               array_agg(c.position - c.first_position order by c.position, c.lexeme))::braid_store.query_condition
    from (
      -- At each position the whole word, not its parts; in scripts without spaces, its bigrams rather than characters.
      select distinct c.clause_number, c.group_number, c.occurrence, c.kind, c.position, c.lexeme,
             min(c.position) over (partition by c.clause_number) as first_position, c.token_kind,
             first_value(c.token_kind) over (
               partition by c.clause_number, c.position
               order by array_position('{prefix,compound,word,bigram,character,stop_word,part}', c.token_kind),
                        length(c.lexeme) desc) as best_kind,
             max(length(c.lexeme)) filter (where c.token_kind = 'compound')
               over (partition by c.clause_number, c.position) as compound_length
      from braid_store.query_clauses(query_conditions.query_text, query_conditions.text_config,
                                     query_conditions.fold_diacritics, '{must,must_not}', 2 * c_most) c
    ) c
    where c.token_kind = c.best_kind and (c.token_kind <> 'compound' or length(c.lexeme) = c.compound_length)
    group by c.clause_number, c.group_number, c.occurrence, c.kind,
             case when c.kind = 'prefix' then c.lexeme end -- a prefix may have two spellings
    order by c.clause_number
    limit c_most);
end
$$;

comment on function braid_store.query_conditions(text, text, boolean) is
  'What + and - and quotation marks demand of a chunk: the first 128 of it.';
