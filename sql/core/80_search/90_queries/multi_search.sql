-- role: reader
-- example: braid.multi_search(queries => '["discount"]', collection => 'small')
-- page: guide/search.md#search-for-several-queries-at-once
create or replace function braid.multi_search(
  queries jsonb,
  match_count int default 10,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  filters jsonb default null,
  collection text default 'default',
  fusion text default null,
  rrf_k float8 default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
  options jsonb default null
)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_queries(
    queries, match_count, full_text_weight, semantic_weight, filters, collection, fusion, rrf_k, candidate_count,
      min_score, match,
    options);
$$;

comment on function braid.multi_search(jsonb, int, float8, float8, jsonb, text, text, float8, int, float8, text, jsonb)
                                       is
  E'Search for several queries at once, and return one JSON object: what is best for all of them together.\n'
  'Each query is run as by search_json, with the other arguments. The best rows of each query, 50 or match_count if '
  'that is more, are fused by their ranks. A row''s score is the sum of weight / (60 + rank) over the queries that '
  'found the row. If group_by or collapse leaves fewer rows than match_count, up to 1000 rows of each query are '
  'fused. queries: an array of 1 to 16 texts, or of objects. An object has text, embedding (or one of the two) and '
  'weight (1 by default). "expansion": true marks a query that a program, such as a language model, made from '
  'another one: its text has no operators, and its weight is 0.5 by default. options: the options that arrange rows '
  'hold for all queries together, the others for each query. snippet and cursor are refused; with more than one '
  'query, so are options made for one query, such as terms in sparse. results: the rows; query_ranks has an object '
  'for each query that found the row, with query (its number, from 1), rank and score. All other columns come from '
  'the query that counts most for the row. stats: its key queries has the stats of each query. warnings: as in '
  'search_json, with the numbers of the queries.';
