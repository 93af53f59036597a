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

comment on function braid.multi_search(jsonb, int, float8, float8, jsonb, text, text, float8, int, float8, text,
  jsonb) is
  E'Search for several queries at once, and return one JSON object: what is best for all of them together.\n'
  'queries: an array of 1 to 16 texts, or objects with text, embedding (or one of the two) and weight (1 unless '
  'given); "expansion": true is for a query that a program, such as a language model, made of another one: operators '
  'in its text mean nothing, and its weight is 0.5 unless given. Each is a search as search_json makes it, with the '
  'other arguments. The best rows of each, 50 or match_count if that is more, are put together by their ranks: score '
  'is the sum of weight / (60 + rank) over the queries that have the row. results: the rows, with query_ranks, an '
  'object for each such query: query (its number, from 1), rank and score in its search. All other columns are those '
  'of the query that counts most for the row. The options that shape rows hold for all queries together, the others '
  'for each; snippet and cursor are refused, and so is what is made of one query, such as terms in sparse, with more '
  'than one. If group_by or collapse leave less than match_count, up to 1000 rows of each query are put together. '
  'stats: queries has those of each. warnings: as in search_json, with the numbers of the queries.';
