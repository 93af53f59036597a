create or replace function braid_store.finds_all_demanded(
  collection braid_store.collections,
  query braid_store.text_query
)
returns boolean
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (finds_all_demanded.query).required_words < 1 and (finds_all_demanded.collection).title_weight > 0 and exists (
    select
    from unnest((finds_all_demanded.query).conditions) c
    where not c.is_excluded
    group by c.group_number
    having bool_and(not c.is_prefix and c.lexemes && array(
      select q.lexeme
      -- A phrase is left out: a chunk that has only the phrase's lexeme, without the phrase, gets no score from it.
      from unnest((finds_all_demanded.query).lexemes, (finds_all_demanded.query).weights,
        (finds_all_demanded.query).phrases)
             q (lexeme, weight, phrase)
      where q.weight > 0 and q.phrase is null)));
end
$$;

comment on function braid_store.finds_all_demanded(braid_store.collections, braid_store.text_query) is
  'Tell whether a full-text search finds every chunk that meets the conditions of a query. It does if each such '
  'chunk has a lexeme that the query ranks by, and so gets a score.';
