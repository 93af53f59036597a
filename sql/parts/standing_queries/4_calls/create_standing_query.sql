-- role: writer
-- example: braid.create_standing_query(name => 'discounts', query_text => 'discount', collection => 'small')
-- page: guide/standing-queries.md
create or replace function braid.create_standing_query(
  name text,
  query_text text default null,
  query_embedding @vector@.vector default null,
  filters jsonb default null,
  collection text default 'default',
  match text default 'all',
  semantic_min_score float8 default null,
  options jsonb default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.insert_standing_query(
    create_standing_query.name, create_standing_query.query_text, create_standing_query.query_embedding,
    create_standing_query.filters, create_standing_query.collection, create_standing_query.match,
    create_standing_query.semantic_min_score, create_standing_query.options);
$$;

comment on function braid.create_standing_query(text, text, @vector@.vector, jsonb, text, text, float8, jsonb) is
  E'Store a search that is matched with each document that is written from now on.\n'
  'name: the name of the query in the session''s tenant and collection. query_text: a query of at most 64 words, in '
  'the language of full_text_search. query_embedding: a vector that is compared with the vectors of chunks when these '
  'are stored; the demands of query_text (+, - and quotation marks) hold here, too. filters: as in full_text_search. '
  'match: all (the default), any, or the least share of the words of query_text that a chunk must have, such as 75%. '
  'semantic_min_score: the least similarity of a chunk''s vector; required with query_embedding. With it alone, the '
  'vector of query_text is taken, if the collection has a static embedder or stores it. options: language and '
  'operators, as in searches.\n'
  'Matches wait for claim_matches. A tenant may have 10000 standing queries in a collection. Raise 22023 for a query '
  'that nothing can match, and for a name that exists.';
