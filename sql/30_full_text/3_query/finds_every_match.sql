create or replace function braid_store.finds_every_match(collection braid_store.collections, query braid_store.text_query)
returns boolean
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select (finds_every_match.query).required_words < 1 and (finds_every_match.collection).title_weight > 0 and exists (
    select
    from unnest((finds_every_match.query).conditions) c
    where not c.is_excluded
    group by c.group_number
    having bool_and(not c.is_prefix and c.lexemes && array(
      select q.lexeme
      from unnest((finds_every_match.query).lexemes, (finds_every_match.query).weights) q (lexeme, weight)
      where q.weight > 0)));
$$;

comment on function braid_store.finds_every_match(braid_store.collections, braid_store.text_query) is
  'Whether a full-text search finds every chunk that meets the conditions of a query. That is so if each such chunk '
  'has a lexeme that the query ranks by, and so gets a score.';
