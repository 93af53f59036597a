-- role: reader
-- standby: yes
-- example: braid.logged_recall(query_text => 'discount', collection => 'small')
-- page: guide/search-log.md
create or replace function braid.logged_recall(
  query_text text default null,
  query_embedding @vector@.vector default null,
  timeframe text default null,
  strategy text default 'hybrid',
  match_count int default 10,
  filters jsonb default null,
  collection text default 'default',
  time_zone text default null,
  reference_time timestamptz default null,
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  fusion text default null,
  rrf_k float8 default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
  options jsonb default null
)
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.run_logged_recall(
    query_text, query_embedding, timeframe, strategy, match_count, filters, collection, time_zone, reference_time,
    full_text_weight, semantic_weight, fusion, rrf_k, candidate_count, min_score, match, options);
$$;

comment on function braid.logged_recall(text, @vector@.vector, text, text, int, jsonb, text, text, timestamptz, float8,
                                        float8, text, float8, int, float8, text, jsonb) is
  E'Run recall_json and log the search, if the collection has a search log.\n'
  'Arguments and answer are as in recall_json; stats also has search_id if the search was logged, as with '
  'braid.logged_search. The log holds the searched text, without the timeframe that was taken out of it; the '
  'timeframe is in filters.';
