-- role: reader
-- example: braid.list_standing_queries(collection => 'small')
-- page: guide/standing-queries.md
create or replace function braid.list_standing_queries(
  collection text default 'default',
  match_count int default 100,
  after text default null
)
returns table (
  name text,
  query_text text,
  match text,
  filters jsonb,
  options jsonb,
  embedding_model text,
  semantic_min_score float8,
  created_at timestamptz
)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.page_standing_queries(list_standing_queries.collection, list_standing_queries.match_count,
                                                  list_standing_queries.after);
$$;

comment on function braid.list_standing_queries(text, int, text) is
  E'List the standing queries of the session''s tenant in a collection, in the order of their names (by bytes).\n'
  'match_count: how many rows, 1 to 10000. after: the last name of the page before. embedding_model: the model of the '
  'vector; null without one. A vector of another model than the searches'' model matches nothing.';
