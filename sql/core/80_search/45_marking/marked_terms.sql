create or replace function braid_store.marked_terms(
  tokens braid_store.query_token[],
  out lexemes text[],
  out prefixes text[]
)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with clauses as materialized (
    select c.occurrence = 'must_not' as is_excluded, c.kind, c.lexeme, c.token_kind
    from unnest(marked_terms.tokens) c
  ), wanted as materialized (
    select c.kind, c.lexeme, c.token_kind
    from clauses c
    where not c.is_excluded
      and not exists (
        select from clauses e
        where e.is_excluded and e.kind = 'word' and e.token_kind <> 'part' and e.lexeme = c.lexeme
      )
  )
  select
    coalesce(array_agg(distinct w.lexeme) filter (
      where w.kind <> 'prefix'
        and case w.token_kind
              when 'stop_word' then not exists (select from wanted o where o.token_kind <> 'stop_word')
              when 'character' then not exists (select from wanted o where o.token_kind = 'bigram')
              else true
            end), '{}'),
    coalesce(array_agg(distinct w.lexeme) filter (where w.kind = 'prefix'), '{}')
  from wanted w;
$$;

comment on function braid_store.marked_terms(braid_store.query_token[]) is
  'Return the lexemes and prefixes of a query that snippets mark, from all words and phrases that are not excluded. '
  'Stop words are marked only if the query has nothing else. Single characters of scripts without spaces are marked '
  'only if the query has no bigrams.';
