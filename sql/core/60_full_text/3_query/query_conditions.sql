create or replace function braid_store.query_conditions(tokens braid_store.query_token[])
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
  -- Each condition is tested on each chunk that a leg examines, which takes 1 to 30 µs.
  c_max_conditions constant int := 128;
begin
  return array(
    select row(c.group_number, c.occurrence = 'must_not', c.kind = 'prefix',
               c.lexemes, c.offsets)::braid_store.query_condition
    from (
      select c.clause_number, c.group_number, c.occurrence, c.kind,
             array_agg(c.lexeme order by c.position, c.lexeme) as lexemes,
             array_agg(c.position - c.first_position order by c.position, c.lexeme) as offsets
      from (
        -- At each position, take the token for the whole word, not its parts. In scripts without spaces, take bigrams,
        -- and characters only if there are no bigrams.
        select distinct c.clause_number, c.group_number, c.occurrence, c.kind, c.position, c.lexeme,
               min(c.position) over (partition by c.clause_number) as first_position, c.token_kind,
               first_value(c.token_kind) over (
                 partition by c.clause_number, c.position
                 order by array_position('{prefix,compound,word,bigram,character,stop_word,part}', c.token_kind),
                          length(c.lexeme) desc) as best_kind,
               max(length(c.lexeme)) filter (where c.token_kind = 'compound')
                 over (partition by c.clause_number, c.position) as compound_length
        from (
          select c.*, dense_rank() over (order by c.clause_number) as clause_place
          from unnest(query_conditions.tokens) c
          where c.occurrence in ('must', 'must_not')
        ) c
        where c.clause_place <= c_max_conditions
      ) c
      where c.token_kind = c.best_kind and (c.token_kind <> 'compound' or length(c.lexeme) = c.compound_length)
      group by c.clause_number, c.group_number, c.occurrence, c.kind,
               case when c.kind = 'prefix' then c.lexeme end -- a prefix may have two lexemes: see query_tokens
      order by c.clause_number
      limit c_max_conditions
    ) c);
end
$$;

comment on function braid_store.query_conditions(braid_store.query_token[]) is
  'Return the demands of a query (+, - and quotation marks) as conditions on a chunk; only the first 128.';
